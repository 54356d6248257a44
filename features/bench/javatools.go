package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// java is how Kafka's launchers start a tool, but with a bound for the heap that fits beside three brokers.
const java = "java -Xms512m -Xmx512m -server -XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:InitiatingHeapOccupancyPercent=35 " +
	"-XX:+ExplicitGCInvokesConcurrent -Djava.awt.headless=true -cp '/opt/kafka/libs/*' org.apache.kafka.tools."

const (
	configFile       = "producer.properties"
	valueFile        = "values.txt"
	verifiablePrefix = "1000000000" // before VerifiableProducer's counter and a dot
)

// config is the producer config for Kafka's tools. The last two are Kafka's defaults: 5 requests in flight is kgo's too, and
// VerifiableProducer would set retries to 0, which idempotence does not allow.
func (s *site) config() []byte {
	return fmt.Appendf(nil, "bootstrap.servers=%s\nacks=all\nenable.idempotence=true\nbatch.size=%d\nlinger.ms=%d\n"+
		"compression.type=none\nbuffer.memory=%d\nmax.in.flight.requests.per.connection=5\nretries=2147483647\n",
		strings.Join(s.bootstrap, ","), s.batch, s.linger.Milliseconds(), bufferBytes)
}

// knowsWarmUp asks ProducerPerformance whether it can leave its JVM's first seconds out, as Kafka 4.2 and later can.
func (s *site) knowsWarmUp(ctx context.Context) (bool, error) {
	help, err := s.tool(ctx, java+"ProducerPerformance --help || true", nil) // it exits with 1
	return strings.Contains(help, "--warmup-records"), err
}

// withWarmUp is how many records ProducerPerformance sends for so many to be measured.
func (s *site) withWarmUp(records int) int {
	if s.warmUp {
		records += records / 3
	}
	return records
}

// producerPerformance measures Kafka's producer by Kafka's own tool.
func (s *site) producerPerformance(ctx context.Context, topic string, l load) (run, error) {
	total := s.withWarmUp(l.records)
	command := fmt.Sprintf("%sProducerPerformance --topic %s --num-records %d --payload-file /tmp/%s --throughput -1",
		java, topic, total, valueFile)
	if s.warmUp {
		command += fmt.Sprintf(" --command-config /tmp/%s --warmup-records %d", configFile, total-l.records)
	} else {
		command += fmt.Sprintf(" --producer.config /tmp/%s", configFile)
	}
	var values bytes.Buffer
	for line := range lines(l.value) {
		values.Write(line)
		values.WriteByte('\n')
	}
	out, err := s.tool(ctx, command, map[string][]byte{configFile: s.config(), valueFile: values.Bytes()})
	if err != nil {
		return run{}, err
	}
	r, err := parsePerformance(out, l.records)
	r.unmeasured = total - l.records
	return r, err
}

var performanceLine = regexp.MustCompile(`(?m)^\s*(\d+) [a-z -]*records sent, ([0-9.]+) records/sec.*50th`)

// parsePerformance takes the last summary, which is the one without the warm-up if there was any.
func parsePerformance(out string, want int) (run, error) {
	all := performanceLine.FindAllStringSubmatch(out, -1)
	if len(all) == 0 {
		return run{}, fmt.Errorf("no summary in: %s", strings.TrimSpace(out))
	}
	last := all[len(all)-1]
	sent, err := strconv.Atoi(last[1])
	if err != nil || sent != want {
		return run{}, fmt.Errorf("wanted: %d records sent; seen: %s", want, last[0])
	}
	rate, err := strconv.ParseFloat(last[2], 64)
	if err != nil || rate <= 0 {
		return run{}, fmt.Errorf("no rate in: %s", last[0])
	}
	return run{records: sent, took: time.Duration(float64(sent) / rate * float64(time.Second))}, nil
}

// verifiableProducer measures the producer of Kafka's system tests, which accounts for each record by a line of JSON. Its
// lines go to a file in the container, since an engine that takes them would be measured too.
func (s *site) verifiableProducer(ctx context.Context, topic string, l load) (run, error) {
	command := fmt.Sprintf("%sVerifiableProducer --bootstrap-server %s --topic %s --max-messages %d --acks -1 "+
		"--value-prefix %s --repeating-keys 100 --producer.config /tmp/%s >/tmp/out 2>/tmp/problems || cat /tmp/problems; "+
		"tail -n 1 /tmp/out",
		java, strings.Join(s.bootstrap, ","), topic, l.records, verifiablePrefix, configFile)
	out, err := s.tool(ctx, command, map[string][]byte{configFile: s.config()})
	if err != nil {
		return run{}, err
	}
	return parseVerifiable(out, l.records)
}

func parseVerifiable(out string, want int) (run, error) {
	var end struct {
		Name       string
		Sent       int
		Acked      int
		Throughput float64 `json:"avg_throughput"`
	}
	if err := json.Unmarshal([]byte(strings.TrimSpace(out)), &end); err != nil {
		return run{}, fmt.Errorf("last line %q: %w", out, err)
	}
	if end.Name != "tool_data" || end.Sent != want || end.Acked != want {
		return run{}, fmt.Errorf("wanted: %d records acknowledged; seen: %s", want, out)
	}
	if end.Throughput <= 0 {
		return run{}, errors.New("no rate in: " + out)
	}
	return run{records: want, took: time.Duration(float64(want) / end.Throughput * float64(time.Second))}, nil
}

// lines yields a thousand values of capital letters at random.
func lines(value int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		random := rand.New(rand.NewPCG(3, 4))
		for range 1000 {
			line := make([]byte, value)
			for i := range line {
				line[i] = byte('A' + random.IntN(26))
			}
			if !yield(line) {
				return
			}
		}
	}
}
