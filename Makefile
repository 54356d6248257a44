# Every target sets the machine up as far as it needs; nothing has to be installed first. GNU make 3.81 or later.

# The Kafka that is tested, and the image it runs from if not the one that set-up chooses.
KAFKA_VERSION ?= 4.3.1
KAFKA_HA_IMAGE ?=
# A distribution's Go may be set to refuse the newer toolchain that go.mod names.
GOTOOLCHAIN ?= auto
export GOTOOLCHAIN

# Which scenarios "make ha" runs, and in which order.
TAGS ?=
FEATURE ?=
RANDOM_ORDER ?=
TIMEOUT ?= 20m

# What "make matrix" tests, and what "make rejudge" judges.
VERSIONS ?= 4.0.2 4.1.2 4.2.2 4.3.1 4.4.0
DIR ?=

# What a user gives is text for the shell to read from its environment. Make would expand a dollar in it, and a recipe that
# named it would be taken apart at its spaces, quotes and semicolons.
given := KAFKA_VERSION KAFKA_HA_IMAGE TAGS FEATURE RANDOM_ORDER TIMEOUT VERSIONS DIR
$(foreach name,$(given),$(eval override $(name) := $$(value $(name))))
export $(given)

# Go's own archive puts go where no PATH of a fresh shell looks.
export PATH := $(PATH):/usr/local/go/bin

# A path is made absolute because the test runs in ./features. The shell reads the variables, not make.
godog_flags = $(if $(TAGS),"-godog.tags=$$TAGS") $(if $(FEATURE),"-godog.paths=$$(setup/absolute.sh "$$FEATURE")") \
  $(if $(RANDOM_ORDER),$(if $(filter 1,$(RANDOM_ORDER)),-godog.random,"-godog.random=$$RANDOM_ORDER"))

# The race detector wants cgo, which Go switches off where no C compiler is.
race = $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)

# Pinned here and run from the module cache, so that they stay out of go.mod.
golangci_lint := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
actionlint := go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
shell_scripts := setup/*.sh setup/image/*.sh setup/image/bin/*.sh setup/image/docker/run .ci/run .ci/summary .ci/matrix

# No colours where the output does not go to a terminal; go test's own pipe hides that from the test.
plain = @[ -t 1 ] || export NO_COLOR=1;

.DEFAULT_GOAL := help
.PHONY: help given setup engine image ha full matrix test proof unit steps bench rejudge sweep lint lint-fast clean

help: ## list the targets and the variables
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo 'Variables (make ha TAGS=@A7):'
	@echo "  KAFKA_VERSION           Kafka to test; now $$KAFKA_VERSION"
	@echo '  KAFKA_HA_IMAGE          image to run instead of apache/kafka or the built one'
	@echo '  TAGS                    scenarios with these tags: @A7; "@smoke && ~@slow" (and, not); @A13,@A15 (a comma is or)'
	@echo '  FEATURE                 one feature file, or one scenario by the line of its keyword: FILE:LINE'
	@echo '  RANDOM_ORDER            1 for scenarios in random order, or the seed that an earlier run printed'
	@echo "  VERSIONS                what \"make matrix\" tests; now $$VERSIONS"
	@echo "  TIMEOUT                 the longest a run may take; now $$TIMEOUT"
	@echo '  DIR                     what "make rejudge" judges: out/RUN/SCENARIO/TOPIC'
	@echo '  KAFKA_HA_BROKER_CONFIG  your broker settings: a server.properties file, or a folder of such files'
	@echo '  KAFKA_HA_REPORT_DIR     where results and evidence go; out/ if not set'
	@echo '  KAFKA_HA_KEEP           1: a failed cluster stays'
	@echo '  NO_COLOR                anything: no colours'

given: # else nonsense is told late, or by a tool that knows nothing of these variables
	@setup/given.sh

setup: given ## prepare this machine: Go modules, a container engine, the broker image
	@setup/setup.sh "$$KAFKA_VERSION"

engine: ## make sure that a container engine answers
	@setup/engine.sh

image: given engine ## build kafka-ha/kafka:KAFKA_VERSION from Maven jars
	@setup/image.sh --build "$$KAFKA_VERSION"

ha: setup ## run the features against three brokers
	$(plain) go test ./features -run TestFeatures -count=1 -v -timeout "$$TIMEOUT" -args $(godog_flags)

# To godog a comma means or: with the tag or without it.
full: ## run the features, those tagged @slow too
	@$(MAKE) ha TAGS=@slow,~@slow TIMEOUT=60m

matrix: given ## run the features against each Kafka of VERSIONS, and show what differs
	@set -f; MAKE="$(MAKE)" .ci/matrix $$VERSIONS

# Packages one after the other: two that start brokers at once would disturb each other's timing.
test: setup ## run every test, the features too
	go build ./...
	$(plain) go test -v -count=1 -p 1 -timeout "$$TIMEOUT" ./...

proof: setup ## see that what must be red is red, @slow too: make test leaves those out
	$(plain) go test ./features/proof -v -count=1 -timeout 30m -args -proof.slow

unit: ## run the tests that need no containers
	go test -short $(race) ./...

steps: ## list the sentences that features can use
	@go test ./features -run TestFeatures -count=1 -v -godog.definitions | sed -n -E '/^Legend/,/LISTS/p; /^(Given|When|Then)/p'

# 5 minutes by arithmetic: 3 starts of a cluster in two ways take 1, judging takes 1, the comparisons take what they print.
bench: setup ## measure speed, each figure as a ratio within the run; about 5 minutes
	@echo "bench: about 5 minutes on a machine with nothing else to do"
	go test ./cluster -run '^$$' -bench . -benchtime 3x -timeout "$$TIMEOUT"
	go test ./fixtures/verdict -run '^$$' -bench 'Judge/^(100k|10M|100k-paced|1M-paced)$$' -benchtime 1x -timeout "$$TIMEOUT"
	go run ./features/bench

rejudge: ## judge a saved run again, without a cluster: make rejudge DIR=out/RUN/SCENARIO/TOPIC
	@[ -n "$$DIR" ] || { echo 'rejudge: say what to judge: make rejudge DIR=out/RUN/SCENARIO/TOPIC' >&2; exit 2; }
	@go run ./fixtures/cmd/rejudge "$$DIR"

sweep: ## remove what killed runs left, and clusters kept by KAFKA_HA_KEEP=1
	@go run ./cluster/cmd/sweep

lint: lint-fast ## check format, style, layering, workflows and scripts
	$(golangci_lint) run ./...
	$(actionlint)

lint-fast: ## the checks that need nothing built: gofmt, go vet, shellcheck if installed
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "not gofmt-ed: $$unformatted" >&2; exit 1; }
	go vet ./...
	@if command -v shellcheck >/dev/null; then shellcheck -x -P SCRIPTDIR $(shell_scripts); else echo "no shellcheck here: scripts not checked"; fi

clean: ## remove what runs have written (out/) and Go's test cache
	rm -rf out
	go clean -testcache
