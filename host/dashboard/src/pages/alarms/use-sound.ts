import { useEffect, useRef, useState } from 'react';

/** A short tone. */
function play(context: AudioContext): void {
  const tone = context.createOscillator();
  const volume = context.createGain();
  volume.gain.value = 0.1;
  tone.frequency.value = 880;
  tone.connect(volume).connect(context.destination);
  tone.start();
  tone.stop(context.currentTime + 0.25);
}

/** A tone whenever there are more alarms that nobody has acknowledged than before. It is off until somebody switches it on. */
export function useSound(count: number | undefined): readonly [isOn: boolean, set: (isOn: boolean) => void] {
  // Browsers let a page make sounds only after a click.
  const [context, setContext] = useState<AudioContext>();
  const before = useRef(count);
  useEffect(() => {
    if (context !== undefined && count !== undefined && count > (before.current ?? count)) play(context);
    before.current = count;
  }, [context, count]);
  useEffect(() => () => void context?.close(), [context]);
  return [context !== undefined, (isOn) => setContext(isOn ? new AudioContext() : undefined)];
}
