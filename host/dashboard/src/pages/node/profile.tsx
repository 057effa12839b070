import { Alert, Anchor, Button, Card, Group, List, Stack, Text, Title } from '@mantine/core';
import type { NodeProfileReply, ProfilePlanReply } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { call } from '../../api/call.ts';
import { useRefresh } from '../../api/queries.ts';
import { useMayConfigure } from '../../api/use-configure.ts';
import { MayNot } from '../../parts/may-not.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useSending } from '../../parts/use-sending.ts';
import { ChangeList } from '../../profiles/change-list.tsx';
import { countsOf, decisionsOf, isAsked, keyOf, type Side } from '../../profiles/profile-changes.ts';
import { useNodeProfile, useProfiles } from '../../profiles/profile-queries.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import { addTexts } from '../../texts/index.ts';
import * as texts from '../../texts/profiles.ts';
import type { TabProps } from './tab-props.ts';

addTexts(texts);

/** What a driver was given by its device profile, and what an update of that would change. */
export default function NodeProfileTab({ node: { name } }: TabProps): ReactElement {
  const { t } = useTranslation();
  const { data, error } = useNodeProfile(name);
  if (data?.profile === undefined)
    return error === null ? <Text>{t('app.loading')}</Text> : <ErrorAlert error={error} />;
  return <ProfileOfNode node={name} given={data.profile} newest={data.newest} />;
}

interface Props {
  readonly node: string;
  readonly given: NonNullable<NodeProfileReply['profile']>;
  readonly newest: string | undefined;
}

function ProfileOfNode({ node, given, newest }: Props): ReactElement {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const mayUpdate = useMayConfigure();
  const profile = useProfiles().data?.find(({ id }) => id === given.id);
  const looking = useSending();
  const [plan, setPlan] = useState<ProfilePlanReply>();
  const [snapshot, setSnapshot] = useState<string>();
  const { run, isBusy } = useAction();

  const look = async (): Promise<void> =>
    setPlan(
      await looking.run(() => call<ProfilePlanReply>('POST', 'api/v2/profile/plan', { body: { node } })),
    );
  const takeBack = async (id: string): Promise<void> => {
    const isDone = await run(
      () => call('POST', 'api/v2/snapshots/restore', { body: { id } }),
      t('profiles.didTakeBack'),
    );
    if (!isDone) return;
    setSnapshot(undefined);
    await refresh(['node', node], ['nodes'], ['snapshots']);
  };

  return (
    <Stack>
      <Card>
        <Stack gap="xs" align="flex-start">
          <Title order={3}>
            {t('profiles.of', { name: '' })}
            {profile === undefined ? (
              given.id
            ) : (
              <Anchor component={Link} inherit to={`/profiles/${encodeURIComponent(given.id)}`}>
                {profile.name}
              </Anchor>
            )}
          </Title>
          <Text size="sm">
            {t('profiles.nodeHas', { version: given.version })}{' '}
            {newest === undefined
              ? t('profiles.isGone')
              : newest === given.version
                ? t('profiles.isNewest')
                : t('profiles.newer', { version: newest })}
          </Text>
          {!mayUpdate && <MayNot role={t('profiles.mayNot')} />}
          {mayUpdate && newest !== undefined && (
            <Group>
              <Button
                variant={newest === given.version ? 'default' : 'filled'}
                loading={looking.isBusy}
                onClick={() => void look()}
              >
                {newest === given.version
                  ? t('profiles.lookAgain')
                  : t('profiles.compare', { version: newest })}
              </Button>
              {profile?.discovers === true && (
                <Text size="xs" c="dimmed">
                  {t('profiles.lookAgainMeans')}
                </Text>
              )}
            </Group>
          )}
          <ErrorAlert error={looking.error} />
        </Stack>
      </Card>
      {snapshot !== undefined && (
        <Alert color="teal" variant="light" role="status" title={t('profiles.didApply', { name: node })}>
          <Button size="xs" variant="default" loading={isBusy} onClick={() => void takeBack(snapshot)}>
            {t('profiles.takeBack')}
          </Button>
        </Alert>
      )}
      {plan !== undefined && (
        <Plan
          key={JSON.stringify(plan)}
          node={node}
          plan={plan}
          onUpdated={(made) => {
            setPlan(undefined);
            setSnapshot(made);
          }}
        />
      )}
    </Stack>
  );
}

interface PlanProps {
  readonly node: string;
  readonly plan: ProfilePlanReply;
  readonly onUpdated: (snapshot: string | undefined) => void;
}

/** The differences, and what becomes of them. */
function Plan({ node, plan, onUpdated }: PlanProps): ReactElement {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { isBusy, error, run } = useSending();
  const [sides, setSides] = useState<ReadonlyMap<string, Side>>(new Map());
  const { changes, from, to, notes } = plan;
  const asked = changes.filter(isAsked);
  const open = asked.filter((change) => !sides.has(keyOf(change))).length;
  const counts = countsOf(changes);
  const isNothing = from === to && counts.add + counts.change + counts.ask === 0;

  const takeAll = (side: Side): void => setSides(new Map(asked.map((change) => [keyOf(change), side])));
  const apply = async (): Promise<void> => {
    const body = { node, decisions: decisionsOf(changes, sides) };
    const done = await run(() => call<ProfilePlanReply>('POST', 'api/v2/profile/update', { body }));
    if (done === undefined) return;
    await refresh(['node', node], ['nodes'], ['snapshots']);
    onUpdated(done.snapshot);
  };

  return (
    <Stack gap="sm">
      <Text role="status">
        {changes.length === 0
          ? t('profiles.same')
          : isNothing
            ? t('profiles.nothingToDo')
            : t('profiles.counts', { from, to, ...counts })}
      </Text>
      {notes.length > 0 && (
        <Alert color="gray" variant="light" role="note" title={t('profiles.passedOver')}>
          <List size="sm">
            {notes.map(({ message }) => (
              <List.Item key={message}>{message}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {changes.length > 0 && (
        <ChangeList
          changes={changes}
          sides={sides}
          onDecide={(change, side) => setSides(new Map(sides).set(keyOf(change), side))}
        />
      )}
      <ErrorAlert error={error} />
      {!isNothing && (
        <div className="save-bar">
          <Button loading={isBusy} disabled={open > 0} onClick={() => void apply()}>
            {t('profiles.apply')}
          </Button>
          {asked.length > 1 && (
            <>
              <Button variant="default" onClick={() => takeAll('node')}>
                {t('profiles.allNode')}
              </Button>
              <Button variant="default" onClick={() => takeAll('profile')}>
                {t('profiles.allProfile')}
              </Button>
            </>
          )}
          <Text size="xs" c="dimmed">
            {open > 0 ? t('profiles.undecided', { count: open }) : t('profiles.safe')}
          </Text>
        </div>
      )}
    </Stack>
  );
}
