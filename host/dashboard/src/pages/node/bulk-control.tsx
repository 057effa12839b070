import { Alert, Button, Group, List, Text } from '@mantine/core';
import { NodeCommand, RunningState, type NodeStateRecord } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { useReason } from '../../shell/error-alert.tsx';
import { Isolated } from '../../parts/isolated.tsx';

type Command = (typeof NodeCommand)[keyof typeof NodeCommand];

interface Outcome {
  readonly command: Command;
  readonly all: number;
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
}

interface Props {
  /** The states of the selected nodes. */
  readonly chosen: readonly NodeStateRecord[];
}

/** Starts or stops the selected nodes one after another; says how many it did, which failed and why, and tries those again. */
export function BulkControl({ chosen }: Props): ReactElement {
  const { t } = useTranslation();
  const reason = useReason();
  const [progress, setProgress] = useState<{ readonly done: number; readonly all: number }>();
  const [outcome, setOutcome] = useState<Outcome>();
  const isRunning = ({ running }: NodeStateRecord): boolean => running === RunningState.RUNNING;
  const toStart = chosen.filter((state) => !isRunning(state)).map(({ node }) => node);
  const toStop = chosen.filter(isRunning).map(({ node }) => node);

  async function control(command: Command, names: readonly string[]): Promise<void> {
    const failed: { name: string; reason: string }[] = [];
    setOutcome(undefined);
    for (const [index, name] of names.entries()) {
      setProgress({ done: index, all: names.length });
      try {
        await call('POST', 'api/v2/node/ctl', { body: { node: name, cmd: command } });
      } catch (error) {
        failed.push({ name, reason: reason(error) });
      }
    }
    setProgress(undefined);
    setOutcome({ command, all: names.length, failed });
  }

  const isBusy = progress !== undefined;
  return (
    <>
      <Group gap="xs">
        <Text size="sm" role="status">
          {t('nodes.selected', { count: chosen.length })}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          disabled={toStart.length === 0 || isBusy}
          onClick={() => void control(NodeCommand.START, toStart)}
        >
          {t('nodes.startMany')}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          disabled={toStop.length === 0 || isBusy}
          onClick={() => void control(NodeCommand.STOP, toStop)}
        >
          {t('nodes.stopMany')}
        </Button>
        {progress !== undefined && (
          <Text size="sm">{t('nodes.didMany', { n: progress.done, all: progress.all })}</Text>
        )}
        {outcome !== undefined && (
          <Text size="sm" role="status">
            {t('nodes.didMany', { n: outcome.all - outcome.failed.length, all: outcome.all })}
          </Text>
        )}
      </Group>
      {outcome !== undefined && outcome.failed.length > 0 && (
        <Alert
          color="red"
          role="alert"
          title={t('nodes.failedMany', { n: outcome.failed.length, all: outcome.all })}
        >
          <List size="sm">
            {outcome.failed.slice(0, mostListed).map(({ name, reason: why }) => (
              <List.Item key={name}>
                <Isolated>{name}</Isolated>: <Isolated>{why}</Isolated>
              </List.Item>
            ))}
          </List>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() =>
              void control(
                outcome.command,
                outcome.failed.map(({ name }) => name),
              )
            }
          >
            {t('nodes.retryMany')}
          </Button>
        </Alert>
      )}
    </>
  );
}

/** Failed nodes that are listed with their reasons. */
const mostListed = 20;
