import type { Step } from "@sightline/observability/contract";
import { IconPlayerPause, IconPlayerPlay, IconPlayerSkipBack, IconPlayerSkipForward } from "@tabler/icons-react";
import { useEffect, useEffectEvent, useState } from "react";
import { IconButton } from "#ui/kit/icon-button.tsx";
import classes from "./graph-playback.module.css";

const BEAT_MS = 700;

type GraphPlaybackProps = {
  readonly runs: readonly Step[];
  /** How many of them have begun. */
  readonly moment: number;
  readonly onMoment: (moment: number) => void;
};

/** Walks through the runs of a trace in the order in which they began; the slider takes the arrow keys. */
export function GraphPlayback({ runs, moment, onMoment }: GraphPlaybackProps) {
  const [isPlaying, setPlaying] = useState(false);
  const goOn = useEffectEvent(() => {
    onMoment(moment + 1);
    if (moment + 1 >= runs.length) {
      setPlaying(false);
    }
  });

  useEffect(() => {
    if (!isPlaying) {
      return undefined;
    }
    const beat = setInterval(goOn, BEAT_MS);
    return () => clearInterval(beat);
  }, [isPlaying]);

  if (runs.length === 0) {
    return null;
  }
  const last = runs[moment - 1];
  const name = last === undefined ? "before the start" : (last.graph_node ?? last.name);
  const step = (to: number): void => {
    setPlaying(false);
    onMoment(Math.min(Math.max(to, 0), runs.length));
  };
  const play = (): void => {
    if (!isPlaying && moment >= runs.length) {
      onMoment(0);
    }
    setPlaying(!isPlaying);
  };
  return (
    <div className={classes.playback} role="group" aria-label="Playback">
      <IconButton label="One back" disabled={moment === 0} onClick={() => step(moment - 1)}>
        <IconPlayerSkipBack size={15} />
      </IconButton>
      <IconButton label={isPlaying ? "Pause" : "Play"} onClick={play}>
        {isPlaying ? <IconPlayerPause size={15} /> : <IconPlayerPlay size={15} />}
      </IconButton>
      <IconButton label="One on" disabled={moment >= runs.length} onClick={() => step(moment + 1)}>
        <IconPlayerSkipForward size={15} />
      </IconButton>
      <input
        type="range"
        className={classes.slider}
        aria-label="Moment of the run"
        aria-valuetext={`${moment} of ${runs.length}: ${name}`}
        min={0}
        max={runs.length}
        value={moment}
        onChange={(event) => step(Number(event.currentTarget.value))}
      />
      <span className={classes.where}>
        {moment} of {runs.length} · {name}
      </span>
    </div>
  );
}
