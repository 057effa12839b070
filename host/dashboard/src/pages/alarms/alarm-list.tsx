import { Button, Group, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { AlarmTransition } from '@tagway/schemas';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ComponentProps, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { commandAlarms } from '../../api/alarms.ts';
import { useMay } from '../../api/use-role.ts';
import { HealthMark } from '../../parts/health-mark.tsx';
import { hasWords } from '../../shell/search-entries.ts';
import { Isolated } from '../../parts/isolated.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useAction } from '../../parts/use-action.ts';
import { alarmStates, wantsAcknowledgement, whatOf, type AlarmPart } from './alarm-state.ts';
import { HideDialog } from './hide-dialog.tsx';

interface Props {
  readonly alarms: readonly AlarmTransition[];
  readonly part: AlarmPart;
}

/** An alarm that is to be hidden, and how. */
type Hiding = Pick<ComponentProps<typeof HideDialog>, 'alarm' | 'command'>;

const keyOf = ({ group, node, tag }: AlarmTransition): string => JSON.stringify([node, group, tag]);

/** Height of an alarm on a phone in pixels, with its commands. */
const cardHeight = 92;

/** The name of an alarm and where it is defined. */
function Name({ alarm }: { readonly alarm: AlarmTransition }): ReactElement {
  return (
    <>
      <Text span fw={wantsAcknowledgement(alarm) ? 650 : 500}>
        <Isolated>{alarm.tag}</Isolated>
      </Text>{' '}
      <Text span size="xs" c="dimmed">
        <Isolated>{`${alarm.node} / ${alarm.group}`}</Isolated>
      </Text>
    </>
  );
}

/** Alarms of one part of the list, with what can be done about each. */
export function AlarmList({ alarms, part }: Props): ReactElement {
  const { t } = useTranslation();
  const client = useQueryClient();
  const mayCommand = useMay('operator');
  const { run, isBusy } = useAction();
  const [text, setText] = useState('');
  const [hiding, setHiding] = useState<Hiding>();
  const isPhone = useMediaQuery('(max-width: 48em)') ?? false;
  const shown = alarms.filter(
    ({ node, priority, tag, text: what, to }) =>
      alarmStates[to].part === part && hasWords(`${node} ${tag} ${what} priority:${priority}`, text),
  );
  const owed = shown.filter(wantsAcknowledgement);
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['alarms'] });
  const give = async (to: readonly AlarmTransition[], command: string, done: string): Promise<void> => {
    await run(() => commandAlarms(to, command), done);
    await refresh();
  };
  const button = (
    alarm: AlarmTransition,
    name: 'acknowledge' | 'reset' | 'unshelve' | 'inService',
    command: string,
  ): ReactElement => (
    <Button
      size="compact-xs"
      variant="default"
      loading={isBusy}
      aria-label={t('alarms.commandOf', { command: t(`alarms.${name}`), tag: alarm.tag })}
      onClick={() => void give([alarm], command, t('alarms.didCommand', { tag: alarm.tag }))}
    >
      {t(`alarms.${name}`)}
    </Button>
  );
  const hideButton = (alarm: AlarmTransition, command: Hiding['command'], text: string): ReactElement => (
    <Button
      size="compact-xs"
      variant="subtle"
      aria-label={t('alarms.commandOf', { command: text, tag: alarm.tag })}
      onClick={() => setHiding({ alarm, command })}
    >
      {text}
    </Button>
  );
  const actions = (alarm: AlarmTransition): ReactElement => (
    <Group gap={4} justify={isPhone ? 'flex-start' : 'flex-end'} wrap="nowrap">
      {wantsAcknowledgement(alarm) && button(alarm, 'acknowledge', 'acknowledge')}
      {alarm.to === 'latched acknowledged' && button(alarm, 'reset', 'reset')}
      {alarm.to === 'shelved' && button(alarm, 'unshelve', 'unshelve')}
      {alarm.to === 'out of service' && button(alarm, 'inService', 'in service')}
      {part === 'open' && (
        <>
          {hideButton(alarm, 'shelve', t('alarms.shelve'))}
          {hideButton(alarm, 'out of service', t('alarms.takeOut'))}
        </>
      )}
    </Group>
  );
  const columns: readonly Column<AlarmTransition>[] = [
    {
      key: 'since',
      title: t('alarms.since'),
      cell: ({ time, to }) => (
        <Group gap={8} wrap="nowrap">
          <HealthMark health={alarmStates[to].health} />
          <Time at={time} />
        </Group>
      ),
      order: ({ time }) => time,
    },
    {
      key: 'alarm',
      title: t('alarms.alarm'),
      cell: (alarm) => <Name alarm={alarm} />,
      order: ({ tag }) => tag,
    },
    { key: 'what', title: t('alarms.what'), cell: (alarm) => <Isolated>{whatOf(alarm)}</Isolated> },
    { key: 'state', title: t('alarms.state'), cell: ({ to }) => t(alarmStates[to].text) },
    {
      key: 'priority',
      title: t('alarms.priority'),
      cell: ({ priority }) => t(`alarms.priorities.${priority}`),
    },
    ...(mayCommand ? [{ key: 'actions', title: t('alarms.actions'), cell: actions, isNumber: true }] : []),
  ];
  // A phone has one column, in which the commands of each alarm are in sight.
  const card: Column<AlarmTransition> = {
    key: 'alarm',
    title: t('alarms.alarm'),
    isFilling: true,
    cell: (alarm) => (
      <Stack gap={2}>
        <Group gap={8} wrap="nowrap">
          <HealthMark health={alarmStates[alarm.to].health} />
          <Text truncate style={{ flex: 1 }}>
            <Name alarm={alarm} />
          </Text>
          <Time at={alarm.time} />
        </Group>
        <Text size="sm" truncate title={whatOf(alarm)}>
          {`${t(`alarms.priorities.${alarm.priority}`)} · ${t(alarmStates[alarm.to].text)}`}
          {whatOf(alarm) !== '' && (
            <>
              {' · '}
              <Isolated>{whatOf(alarm)}</Isolated>
            </>
          )}
        </Text>
        {mayCommand && actions(alarm)}
      </Stack>
    ),
  };
  return (
    <>
      <Group align="flex-end">
        <SearchField value={text} onChange={setText} />
        {mayCommand && owed.length > 1 && (
          <Button
            variant="default"
            loading={isBusy}
            onClick={() => void give(owed, 'acknowledge', t('alarms.didAll', { n: owed.length }))}
          >
            {t('alarms.acknowledgeAll', { n: owed.length })}
          </Button>
        )}
      </Group>
      <Table
        rows={shown}
        columns={isPhone ? [card] : columns}
        keyOf={keyOf}
        label={t('nav.alarms')}
        empty={t('alarms.none')}
        height={isPhone ? '100vh' : 'calc(100vh - 380px)'}
        {...(isPhone && { rowHeight: mayCommand ? cardHeight : cardHeight - 30 })}
      />
      {hiding !== undefined && (
        <HideDialog
          {...hiding}
          onClose={() => setHiding(undefined)}
          onDone={() => {
            setHiding(undefined);
            void refresh();
          }}
        />
      )}
    </>
  );
}
