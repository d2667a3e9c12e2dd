"""Replays one recording on a system: plays its edges, performs its acts, and collects the result."""

from collections.abc import Callable
from dataclasses import replace

from sabot_sim.rigs.rig import BenchError

from sabot_tools.replay.act_handlers import ActHandlers
from sabot_tools.replay.recording_file import LoadedRecording, bursts
from sabot_tools.replay.result import ReplayResult, collect, counters
from sabot_tools.replay.system import ReplayError, ReplaySystem


class Replayer:
    """One recording on one system."""

    def __init__(self, recording: LoadedRecording, system: ReplaySystem) -> None:
        self._recording, self._system, self._acts = recording, system, ActHandlers(system)

    def run(self, progress: Callable[[float], None] = lambda share: None) -> ReplayResult:
        """Play the recording to its end; if it stops before, `problem` of the result has the reason."""
        try:
            self._play(progress)
        except (ReplayError, BenchError) as error:
            return replace(self._collect(), problem=str(error))
        counted = counters(self._system)
        return replace(self._collect(), counters=counted)

    def _play(self, progress: Callable[[float], None]) -> None:
        self._system.start()
        end_us = self._recording.records[-1].t_us or 1
        for edges, until_us, act in bursts(self._recording.records):
            self._system.play(edges, until_us)
            if act is not None:
                self._system.wait_until_idle()
                self._acts.perform(act.act)
            progress(min(1.0, until_us / end_us))
        self._system.wait_until_idle()

    def _collect(self) -> ReplayResult:
        return collect(self._system, self._acts.answers, noisy=self._recording.noisy())
