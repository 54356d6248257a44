package steps

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cucumber/godog"
	messages "github.com/cucumber/messages/go/v34"

	"kafka-ha/cluster"
)

// Need is what a scenario wants its cluster to be. The zero value is what one gets that names nothing.
type Need struct {
	Topology cluster.Topology
	Settings cluster.Settings
}

// String names the cluster, as messages do; two needs of the same name are the same.
func (n Need) String() string {
	if n.Settings.Empty() {
		return n.Topology.String()
	}
	return fmt.Sprintf("%s, %s", n.Topology, n.Settings)
}

// What features say after the name of a topology.
const (
	inSync       = ", all in sync"
	withSettings = ", all in sync, with these settings:" // a table of two columns, setting and value, follows
)

// NeedOf reads from a scenario's steps which cluster it wants: the sentences that name a topology do not make a cluster,
// they say which one the scenario has had from its beginning. To name two is an error, and so is a setting that the
// suite must own.
func NeedOf(scenario *godog.Scenario) (Need, error) {
	var need Need
	named := ""
	for _, step := range scenario.Steps {
		one, ok, err := needOf(step)
		switch {
		case err != nil:
			return Need{}, fmt.Errorf("step %q: %w", step.Text, err)
		case !ok:
		case named != "":
			return Need{}, fmt.Errorf("steps %q and %q: a scenario has one cluster; name one", named, step.Text)
		default:
			need, named = one, step.Text
		}
	}
	return need, nil
}

func needOf(step *messages.PickleStep) (Need, bool, error) {
	for _, topology := range cluster.Topologies {
		switch step.Text {
		case topology.String() + inSync:
			return Need{Topology: topology}, true, nil
		case topology.String() + withSettings:
			if step.Argument == nil {
				return Need{}, false, errNoTable
			}
			settings, err := parseSettings(step.Argument.DataTable)
			if level, set := settings.Features[kraftVersion]; err == nil && set && level == 0 && topology.Dynamic() {
				err = errStaticLevel
			}
			return Need{Topology: topology, Settings: settings}, true, err
		}
	}
	return Need{}, false, nil
}

var errNoTable = fmt.Errorf(`no settings; write them in a table under the step, as in "| broker.session.timeout.ms | 6000 |"`)

// kraftVersion is the level of the quorum's own protocol: at 0 the voters are those of the settings, from 1 on members.
const kraftVersion = "kraft.version"

var errStaticLevel = errors.New("a dynamic quorum has kraft.version 1 or more; " +
	"leave the setting out, or name a cluster without a dynamic quorum")

// parseSettings reads a table of settings and values, without a heading.
func parseSettings(table *messages.PickleTable) (cluster.Settings, error) {
	if table == nil || len(table.Rows) == 0 {
		return cluster.Settings{}, errNoTable
	}
	all := map[string]string{}
	for _, row := range table.Rows {
		cells := make([]string, 0, len(row.Cells))
		for _, cell := range row.Cells {
			cells = append(cells, cell.Value)
		}
		if len(cells) != 2 || cells[0] == "" {
			return cluster.Settings{}, fmt.Errorf("row | %s |: want a setting and its value", strings.Join(cells, " | "))
		}
		if _, twice := all[cells[0]]; twice {
			return cluster.Settings{}, fmt.Errorf("row | %s |: the setting stands there twice", strings.Join(cells, " | "))
		}
		all[cells[0]] = cells[1]
	}
	return cluster.ParseSettings(all)
}
