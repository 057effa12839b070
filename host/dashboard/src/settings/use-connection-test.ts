import type { DataType, NodeTestReply } from '@tagway/schemas';
import { useEffect, useRef, useState } from 'react';
import { call } from '../api/call.ts';

interface Tried {
  readonly plugin: string;
  /** The node that has the settings; undefined for a node that is not added yet. */
  readonly node: string | undefined;
  /** The settings in the form, saved or not. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** A tag to read once the device is reached. */
export interface TestTag {
  readonly address: string;
  readonly type: DataType;
}

export interface Outcome {
  /** What was tried. */
  readonly params: Tried['params'];
  readonly tag: TestTag | undefined;
  readonly steps: NodeTestReply['steps'];
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface ConnectionTest {
  readonly tag: TestTag | undefined;
  readonly setTag: (tag: TestTag | undefined) => void;
  readonly outcome: Outcome | undefined;
  /** Why the test could not begin. */
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly run: () => Promise<void>;
  readonly cancel: () => void;
}

/** Tests the settings of a form before they are saved. */
export function useConnectionTest({ plugin, node, params }: Tried): ConnectionTest {
  const [tag, setTag] = useState<TestTag>();
  const [outcome, setOutcome] = useState<Outcome>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  async function run(): Promise<void> {
    const attempt = new AbortController();
    abort.current = attempt;
    setBusy(true);
    setError(undefined);
    setOutcome(undefined);
    const body = { plugin, params, ...(node !== undefined && { node }), ...(tag !== undefined && { tag }) };
    try {
      const { signal } = attempt;
      const { steps } = await call<NodeTestReply>('POST', 'api/v2/node/test', { body, signal });
      setOutcome({ params, tag, steps, at: Date.now() });
    } catch (refusal) {
      if (!attempt.signal.aborted) setError(refusal);
    } finally {
      if (abort.current === attempt) setBusy(false);
    }
  }

  function cancel(): void {
    abort.current?.abort();
    setBusy(false);
  }

  return { tag, setTag, outcome, error, isBusy, run, cancel };
}
