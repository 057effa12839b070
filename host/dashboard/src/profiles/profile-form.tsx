import { Button, Card, NativeSelect, NumberInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { NodeType, type ProfileReply, type TestProfileReply } from '@tagway/schemas';
import { useMemo, useState, type ReactElement, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { call } from '../api/call.ts';
import { useNodes, useRefresh } from '../api/queries.ts';
import { LeaveGuard } from '../parts/leave-guard.tsx';
import { useAction } from '../parts/use-action.ts';
import { useSending } from '../parts/use-sending.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { referenceText } from '../values/references.ts';
import { AskedSettings } from './asked-settings.tsx';
import { MissingPlugin } from './missing-plugin.tsx';
import { ProfileHead, ProfileNotes } from './profile-head.tsx';
import { useProfile } from './profile-queries.ts';
import { ProfileTrial } from './profile-trial.tsx';

type Params = Readonly<Record<string, unknown>>;
type Choice = ProfileReply['choices'][number];
type Parameter = ProfileReply['parameters'][number];

/** Adds a driver with a profile: asks what that leaves to ask, and shows values of the device before anything is saved. */
export default function ProfileForm({ profile }: { readonly profile: string }): ReactElement {
  const { t } = useTranslation();
  const { data, error } = useProfile(profile);
  if (data === undefined)
    return error === null ? <Text>{t('app.loading')}</Text> : <ErrorAlert error={error} />;
  const [first] = data.choices;
  return (
    <Stack>
      <ProfileHead reply={data} />
      <ProfileNotes notes={data.notes} />
      {first === undefined ? (
        <MissingPlugin plugins={data.profile.plugins} />
      ) : (
        <Connection reply={data} first={first} />
      )}
    </Stack>
  );
}

/** What a test was made with, and what came of it. */
interface Tried {
  readonly body: string;
  readonly at: number;
  readonly reply: TestProfileReply;
}

function Connection({
  reply,
  first,
}: {
  readonly reply: ProfileReply;
  readonly first: Choice;
}): ReactElement {
  const { t } = useTranslation();
  const { profile, choices, parameters } = reply;
  const navigate = useNavigate();
  const refresh = useRefresh();
  const suggestion = useFreeName(profile.id);
  const [typed, setName] = useState<string>();
  const name = typed ?? suggestion;
  const [plugin, setPlugin] = useState(first.plugin);
  const choice = choices.find((one) => one.plugin === plugin) ?? first;
  const [given, setGiven] = useState<Params>();
  const params = given ?? askedOf(choice);
  const [values, setValues] = useState(() => defaultsOf(parameters));
  const [tried, setTried] = useState<Tried>();
  const test = useSending();
  const { run, isBusy } = useAction();
  const [refusal, setRefusal] = useState<unknown>();
  const body = { profile: profile.id, plugin, params, parameters: values };
  const text = JSON.stringify(body);
  const isCurrent = tried?.body === text;
  const hasAnswered = tried !== undefined && tried.reply.steps.every(({ ok }) => ok);

  async function ask(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    setRefusal(undefined);
    const answer = await test.run(() => call<TestProfileReply>('POST', 'api/v2/profile/test', { body }));
    setTried(answer && { body: text, at: Date.now(), reply: answer });
  }

  async function add(): Promise<void> {
    setRefusal(undefined);
    const isDone = await run(
      async () => {
        try {
          await call('POST', 'api/v2/profile/node', { body: { ...body, node: name } });
        } catch (error) {
          setRefusal(error);
          throw error;
        }
        setTried(undefined);
      },
      t('nodes.didAdd', { name }),
    );
    if (!isDone) return;
    await refresh(['nodes'], ['profiles', 'one']);
    // Where its values are: the first group that the device has.
    const group = tried?.reply.groups[0]?.name;
    const to =
      group === undefined
        ? `/nodes/${encodeURIComponent(name)}`
        : `/live?g=${encodeURIComponent(referenceText({ node: name, group }))}`;
    void navigate(to);
  }

  return (
    <div className="profile-steps">
      <form onSubmit={(event) => void ask(event)} noValidate>
        <Card>
          <Stack gap="sm">
            <Title order={3}>{t('profiles.connection')}</Title>
            <TextInput
              label={t('nodes.name')}
              value={name}
              required
              onChange={(event) => setName(event.currentTarget.value)}
            />
            {choices.length > 1 && (
              <NativeSelect
                label={t('profiles.plugin')}
                data={choices.map((one) => one.plugin)}
                value={plugin}
                onChange={(event) => {
                  setPlugin(event.currentTarget.value);
                  setGiven(undefined);
                }}
              />
            )}
            <AskedSettings
              key={plugin}
              plugin={plugin}
              ask={choice.ask}
              params={params}
              error={test.error ?? refusal}
              onChange={setGiven}
            />
            {parameters.map((parameter) => (
              <ParameterField
                key={parameter.name}
                parameter={parameter}
                value={values[parameter.name]}
                onChange={(value) => setValues({ ...values, [parameter.name]: value })}
              />
            ))}
          </Stack>
        </Card>
        <div className="save-bar">
          <Button type="submit" variant={isCurrent ? 'default' : 'filled'} loading={test.isBusy}>
            {t('profiles.test')}
          </Button>
          <Button
            variant={isCurrent ? 'filled' : 'default'}
            loading={isBusy}
            disabled={!isCurrent || test.isBusy || (profile.discovers && !hasAnswered)}
            onClick={() => void add()}
          >
            {t(isCurrent && !hasAnswered ? 'profiles.addAnyway' : 'profiles.add')}
          </Button>
          {tried !== undefined && !isCurrent && <span className="unsaved">{t('profiles.stale')}</span>}
        </div>
      </form>
      <div aria-live="polite">
        {tried === undefined ? (
          <Text size="sm" c="dimmed" p="md">
            {t(test.isBusy ? 'profiles.testing' : 'profiles.testFirst')}
          </Text>
        ) : (
          <ProfileTrial reply={tried.reply} at={tried.at} isStale={!isCurrent} />
        )}
      </div>
      <LeaveGuard isDirty={(given !== undefined || typed !== undefined) && !isBusy && tried !== undefined} />
    </div>
  );
}

interface ParameterProps {
  readonly parameter: Parameter;
  readonly value: number | undefined;
  readonly onChange: (value: number | undefined) => void;
}

function ParameterField({ parameter, value, onChange }: ParameterProps): ReactElement {
  const { t, i18n } = useTranslation();
  const { title, title_zh: chinese, minimum, maximum } = parameter;
  return (
    <NumberInput
      label={i18n.language === 'zh' ? (chinese ?? title) : title}
      description={t('profiles.unitLimits', { minimum, maximum })}
      min={minimum}
      max={maximum}
      allowDecimal={false}
      value={value ?? ''}
      required
      onChange={(next) => onChange(next === '' ? undefined : Number(next))}
    />
  );
}

/** The values that a profile proposes for what it leaves to ask. */
const askedOf = ({ ask, params }: Choice): Params =>
  Object.fromEntries(ask.flatMap((name) => (name in params ? [[name, params[name]] as const] : [])));

const defaultsOf = (parameters: readonly Parameter[]): Readonly<Record<string, number | undefined>> =>
  Object.fromEntries(parameters.map(({ name, default: value }) => [name, value]));

/** The name of the device, with a number where a node has it already. */
function useFreeName(name: string): string {
  const drivers = useNodes(NodeType.DRIVER).data;
  const apps = useNodes(NodeType.APP).data;
  return useMemo(() => {
    const taken = new Set([...(drivers ?? []), ...(apps ?? [])].map((node) => node.name));
    for (let n = 1; ; n += 1) {
      const one = n === 1 ? name : `${name}-${n}`;
      if (!taken.has(one)) return one;
    }
  }, [drivers, apps, name]);
}
