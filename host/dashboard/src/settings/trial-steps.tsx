import { Alert, List, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconCheck, IconMinus, IconX } from '@tabler/icons-react';
import type { NodeTestReply } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Advice } from '../parts/advice.tsx';
import { timeText } from '../parts/times.ts';
import { valueText } from '../values/value-text.ts';

type Step = NodeTestReply['steps'][number];

interface Props {
  readonly steps: readonly Step[];
  /** When the test ran, in milliseconds since 1970. */
  readonly at: number;
  /** The type of the tag to read; undefined without a tag. */
  readonly type: number | undefined;
  /** The settings have been changed since. */
  readonly isStale: boolean;
  /** False: of an app. */
  readonly isDriver: boolean;
}

const ofDrivers = [
  'resolve',
  'connect',
  'handshake',
  'answer',
  'read',
] as const satisfies readonly Step['step'][];
const ofApps = [
  'resolve',
  'connect',
  'handshake',
  'login',
  'rights',
  'write',
] as const satisfies readonly Step['step'][];

/** The steps of a connection test: those that have succeeded, the one that has failed and why, and those that were not reached. */
export function TrialSteps({ steps, at, type, isStale, isDriver }: Props): ReactElement {
  const { t } = useTranslation();
  const failed = steps.find(({ ok }) => !ok);
  const order: readonly Step['step'][] = isDriver ? ofDrivers : ofApps;
  const wanted = isDriver && type === undefined ? order.slice(0, 4) : order;
  // Some plugins report only a few steps. After a success, steps that are not reported are not shown.
  const missed = failed === undefined ? [] : wanted.slice(order.indexOf(failed.step) + 1);
  return (
    <Stack className="trial-steps" gap="xs" role="status" aria-label={t('trial.steps')}>
      <List spacing={4} size="sm" center>
        {steps.map((step) => (
          <List.Item key={step.step} icon={<Mark of={step.ok ? 'ok' : 'failed'} />}>
            {t(`trial.step.${step.step}`)}
            {step.ok && step.ms > 0 && ` · ${t('trial.ms', { n: step.ms })}`}
            {step.value !== undefined && (
              <Text span ff="monospace" size="sm">
                {` · ${valueText(step.value, type ?? 0, 'decimal')}`}
              </Text>
            )}
          </List.Item>
        ))}
        {missed.map((step) => (
          <List.Item key={step} icon={<Mark of="missed" />} c="dimmed">
            {`${t(`trial.step.${step}`)} · ${t('trial.missed')}`}
          </List.Item>
        ))}
      </List>
      {failed === undefined ? (
        <Alert color="teal" variant="light">
          {t(isDriver ? (hasAnswered(steps) ? 'trial.well' : 'trial.open') : 'trial.taken')}
        </Alert>
      ) : (
        <Alert
          color="red"
          variant="light"
          title={t('trial.failed', { step: t(`trial.step.${failed.step}`) })}
        >
          <Stack gap={4}>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {failed.message}
            </Text>
            <Advice codes={[failed.error ?? 0]} />
            <Text size="xs">{t('trial.since', { time: timeText(at), code: failed.error ?? 0 })}</Text>
          </Stack>
        </Alert>
      )}
      {isStale && (
        <Text size="xs" c="dimmed">
          {t('trial.stale')}
        </Text>
      )}
    </Stack>
  );
}

const hasAnswered = (steps: readonly Step[]): boolean =>
  steps.some(({ step }) => step === 'answer' || step === 'read');

const marks = {
  ok: { color: 'teal', icon: IconCheck },
  failed: { color: 'red', icon: IconX },
  missed: { color: 'gray', icon: IconMinus },
} as const;

function Mark({ of }: { readonly of: keyof typeof marks }): ReactElement {
  const { t } = useTranslation();
  const { color, icon: Icon } = marks[of];
  return (
    <ThemeIcon
      size={20}
      radius="xl"
      color={color}
      variant={of === 'missed' ? 'light' : 'filled'}
      role="img"
      aria-label={t(`trial.${of}Mark`)}
    >
      <Icon size={14} aria-hidden />
    </ThemeIcon>
  );
}
