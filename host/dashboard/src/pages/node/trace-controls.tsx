import { Button, Group, Text } from '@mantine/core';
import { IconDownload, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useState, type ReactElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { useAction } from '../../parts/use-action.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import { saveTrace } from './save-trace.ts';
import { useTrace } from './use-trace.ts';

/** The trace of a node, and how it is begun and ended. */
export interface TraceRun extends ReturnType<typeof useTrace>, ReturnType<typeof useAction> {
  readonly node: string;
  readonly isRunning: boolean;
  /** A trace was begun: the list is its. */
  readonly begun: () => void;
}

export function useTraceRun(node: string): TraceRun {
  const [round, setRound] = useState(0);
  const seen = useTrace(node, round);
  const isRunning = seen.trace !== undefined && seen.trace.end === undefined;
  return { ...seen, ...useAction(), node, isRunning, begun: () => setRound(round + 1) };
}

interface Props {
  /** Frames of a driver, or messages of an app: whose texts are shown. */
  readonly kind: 'trace' | 'messages';
  readonly run: TraceRun;
  /** What is asked for when it begins; undefined: that is not chosen yet. */
  readonly wish: object | undefined;
  /** In which it can be saved. */
  readonly forms: readonly ('text' | 'pcapng')[];
  /** The fields of what is asked for. */
  readonly children: ReactNode;
}

/** Begins, ends and saves a trace, and says how it is. */
export function TraceControls({ kind, run, wish, forms, children }: Props): ReactElement {
  const { t } = useTranslation();
  const { trace, error, isBusy, node: name } = run;
  const begin = async (): Promise<void> => {
    const body = { node: name, ...wish };
    const done = await run.run(
      () => call('POST', 'api/v2/node/trace', { body }),
      t(`${kind}.didBegin`, { name }),
    );
    if (done) run.begun();
  };
  const end = (): Promise<boolean> =>
    run.run(
      () => call('DELETE', 'api/v2/node/trace', { body: { node: name } }),
      t(`${kind}.didEnd`, { name }),
    );

  return (
    <>
      <Group align="flex-end">
        {children}
        {run.isRunning ? (
          <Button
            leftSection={<IconPlayerStop size={16} aria-hidden />}
            variant="default"
            loading={isBusy}
            onClick={() => void end()}
          >
            {t(`${kind}.end`)}
          </Button>
        ) : (
          <Button
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
            loading={isBusy}
            disabled={wish === undefined}
            onClick={() => void begin()}
          >
            {t(`${kind}.begin`)}
          </Button>
        )}
        {forms.map((form) => (
          <Button
            key={form}
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
            disabled={trace === undefined || trace.total === 0 || isBusy}
            onClick={() => void run.run(() => saveTrace(name, form), t(`${kind}.didSave`))}
          >
            {t(`trace.${form}`)}
          </Button>
        ))}
      </Group>
      <ErrorAlert error={error} />
      {trace !== undefined && (
        <Text size="sm" role="status">
          {t(trace.end === undefined ? `${kind}.running` : `${kind}.ended.${trace.end}`, { n: trace.total })}
        </Text>
      )}
    </>
  );
}
