package main

import "time"

// What takes time beside the runs themselves, on two cores with nothing else to do.
const (
	ofCluster = 14 * time.Second // three brokers come and go, and a tool is asked what it knows
	ofWarmUp  = 4 * time.Second
	ofTopic   = 1500 * time.Millisecond // it is made, in sync, and deleted
	ofJVM     = 2500 * time.Millisecond // a tool's container and JVM start
)

// estimate is about how long the plan takes, to the ten seconds. It knows the proportions of the runs to those of a plain
// client, which length is the length of.
func (p plan) estimate() time.Duration {
	total := ofCluster
	for _, c := range p.asked() {
		total += time.Duration(len(c.sizes)) * (ofWarmUp + c.took(p))
	}
	return total.Round(10 * time.Second)
}

// lengths is so many times the length of a run of the plain client.
func (p plan) lengths(n float64) time.Duration { return time.Duration(n * float64(p.length)) }

// producing: the plain client, ours about the same, and ProducerPerformance slower and with a third more to warm up.
func (p plan) producing() time.Duration {
	return time.Duration(p.rounds) * (3*ofTopic + ofJVM + p.lengths(1+1.05+1.75))
}

// verifiable: half the load, which VerifiableProducer takes four times as long for.
func (p plan) verifiable() time.Duration {
	return time.Duration(p.rounds) * (2*ofTopic + ofJVM + p.lengths((1.05+4)/2))
}

// reading: four times the load, sent once, and read by each in a quarter of that time or somewhat more; one round goes
// uncounted.
func (p plan) reading() time.Duration {
	return ofTopic + p.lengths(4*1.05) + time.Duration(p.rounds+1)*p.lengths(1+1+1.5)
}
