import { Button, Group, SegmentedControl, SimpleGrid, Stack, Switch, Text, Title } from '@mantine/core';
import type { AlarmsReply } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { useAlarms } from '../api/alarms.ts';
import { Pill } from '../parts/health-pill.tsx';
import { NumberCard } from '../parts/number-card.tsx';
import { ErrorAlert } from '../shell/error-alert.tsx';
import * as texts from '../texts/alarms.ts';
import { addTexts } from '../texts/index.ts';
import { AlarmList } from './alarms/alarm-list.tsx';
import { alarmParts, alarmStates, type AlarmPart } from './alarms/alarm-state.ts';
import { Frequent } from './alarms/frequent.tsx';
import { Journal } from './alarms/journal.tsx';
import { useSound } from './alarms/use-sound.ts';

addTexts(texts);

/** What the page has beside the list. */
const views = ['journal', 'frequent'] as const;

/** The alarms of all nodes, what needs somebody first, the journal of what has happened to them, and which of them are there most often. */
export default function Alarms(): ReactElement {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const view = views.find((one) => params.has(one));
  const [part, setPart] = useState<AlarmPart>('open');
  const { data, error } = useAlarms();
  const [hasSound, setSound] = useSound(data && (data.counts['unacknowledged'] ?? 0));
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Title order={2}>{t('nav.alarms')}</Title>
        {data !== undefined && <Counts counts={data.counts} />}
        <Group gap={6} ml="auto">
          {([undefined, ...views] as const)
            .filter((one) => one !== view)
            .map((one) => (
              <Button
                key={one ?? 'list'}
                variant="default"
                size="xs"
                onClick={() => setParams(one === undefined ? {} : { [one]: '' }, { replace: true })}
              >
                {t(`alarms.${one ?? 'list'}`)}
              </Button>
            ))}
        </Group>
      </Group>
      <ErrorAlert error={error} />
      {view === 'journal' && <Journal />}
      {view === 'frequent' && <Frequent />}
      {view === undefined && (
        <>
          <SimpleGrid cols={2} spacing="sm">
            <NumberCard label={t('alarms.hour')} value={data?.last_hour} note={t('alarms.hourNote')} />
            <NumberCard
              label={t('alarms.tenMinutes')}
              value={data?.last_ten_minutes}
              note={t(data?.flood === true ? 'alarms.flood' : 'alarms.tenMinutesNote')}
            />
          </SimpleGrid>
          <Group>
            <SegmentedControl
              size="xs"
              value={part}
              onChange={(value) => setPart(alarmParts.find((one) => one === value) ?? 'open')}
              data={alarmParts.map((value) => ({
                value,
                label: `${t(`alarms.parts.${value}`)} ${countOf(data?.counts ?? {}, value)}`,
              }))}
            />
            <Switch
              ml="auto"
              label={t('alarms.sound')}
              checked={hasSound}
              onChange={(event) => setSound(event.currentTarget.checked)}
            />
          </Group>
          <AlarmList alarms={data?.alarms ?? []} part={part} />
          {data !== undefined && data.page_count > 1 && (
            <Text size="sm" c="dimmed">
              {t('alarms.more', { n: data.alarms.length })}
            </Text>
          )}
        </>
      )}
    </Stack>
  );
}

function countOf(counts: AlarmsReply['counts'], part: AlarmPart): number {
  return Object.entries(alarmStates).reduce(
    (sum, [state, one]) => sum + (one.part === part ? (counts[state] ?? 0) : 0),
    0,
  );
}

/** How many alarms are in each state that has any. */
function Counts({ counts }: Pick<AlarmsReply, 'counts'>): ReactElement {
  const { t } = useTranslation();
  return (
    <Group gap={6} role="status">
      {Object.entries(alarmStates).map(([state, { health, text }]) => {
        const n = counts[state] ?? 0;
        return n === 0 ? null : <Pill key={state} health={health} text={`${n} ${t(text)}`} />;
      })}
    </Group>
  );
}
