package cluster

import "kafka-ha/cluster/engine"

// Option changes how Start makes a cluster.
type Option func(*Cluster)

// On makes the cluster part of a session that the caller began and will end.
func On(session *engine.Session) Option { return func(c *Cluster) { c.engine = session } }

// WithImage runs this image instead of the one that engine.ChooseImage finds.
func WithImage(image engine.Image) Option { return func(c *Cluster) { c.image = image } }

// WithOverlay lays the user's broker settings over the suite's.
func WithOverlay(overlay Overlay) Option { return func(c *Cluster) { c.overlay = overlay } }

// WithProgress is told, a line at a time, what Start is doing.
func WithProgress(progress func(string)) Option { return func(c *Cluster) { c.progress = progress } }

// WithTopology starts a cluster of this shape instead of the default.
func WithTopology(topology Topology) Option { return func(c *Cluster) { c.topology = topology } }

// WithSettings lays these settings over the user's, and formats the nodes with these feature levels.
func WithSettings(settings Settings) Option { return func(c *Cluster) { c.settings = settings } }
