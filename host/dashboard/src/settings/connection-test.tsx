import { Alert, Button, Checkbox, Group, Loader, NativeSelect, Stack, TextInput } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { DataType, ErrorCode, NodeType, dataTypeName } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/call.ts';
import { usePlugins } from '../api/queries.ts';
import { usePluginRules } from '../api/tag-rules.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { AddressExamples } from '../tags/address-examples.tsx';
import { typeFrom, typeNames } from '../values/data-types.ts';
import { TrialSteps } from './trial-steps.tsx';
import type { ConnectionTest, TestTag } from './use-connection-test.ts';

/** Begins a test, and ends one that is under way. */
export function TestButton({ test }: { readonly test: ConnectionTest }): ReactElement {
  const { t } = useTranslation();
  const { isBusy, tag } = test;
  return (
    <>
      <Button
        variant="default"
        disabled={isBusy || tag?.address === ''}
        leftSection={isBusy ? <Loader size={16} /> : <IconPlugConnected size={16} aria-hidden />}
        onClick={() => void test.run()}
      >
        {t(isBusy ? 'trial.running' : 'trial.run')}
      </Button>
      {isBusy && (
        <Button variant="subtle" onClick={test.cancel}>
          {t('app.cancel')}
        </Button>
      )}
    </>
  );
}

interface Props {
  readonly plugin: string;
  readonly test: ConnectionTest;
  /** The settings in the form now. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** The tag that a test also reads, and the steps that the last test has taken. */
export function TestDetails(props: Props): ReactElement | null {
  const { data: plugins } = usePlugins();
  const type = plugins?.find(({ name }) => name === props.plugin)?.node_type;
  return type === undefined ? null : <Details {...props} isDriver={type === NodeType.DRIVER} />;
}

function Details({ plugin, test, params, isDriver }: Props & { readonly isDriver: boolean }): ReactElement {
  const { t } = useTranslation();
  const { tag, setTag, outcome, error } = test;
  const unread = outcome?.steps.find(({ step, ok }) => step === 'read' && !ok);
  return (
    <Stack gap="xs" mt="md">
      {isDriver && (
        <Checkbox
          label={t('trial.read')}
          checked={tag !== undefined}
          onChange={(event) =>
            setTag(event.currentTarget.checked ? { address: '', type: DataType.INT16 } : undefined)
          }
        />
      )}
      {tag !== undefined && (
        <TagToRead
          plugin={plugin}
          tag={tag}
          refusal={isSameTag(outcome?.tag, tag) ? unread?.message : undefined}
          onChange={setTag}
        />
      )}
      {isNotTestable(error) ? (
        <Alert color="yellow" variant="light" role="alert">
          {error.message}
        </Alert>
      ) : (
        <ErrorAlert error={error} />
      )}
      {outcome !== undefined && (
        <TrialSteps
          steps={outcome.steps}
          at={outcome.at}
          type={outcome.tag?.type}
          isDriver={isDriver}
          isStale={outcome.params !== params}
        />
      )}
    </Stack>
  );
}

const isSameTag = (tried: TestTag | undefined, tag: TestTag): boolean =>
  tried?.address === tag.address && tried.type === tag.type;

/**
 * A driver that waits for a connection from its device cannot be tested, nor an app that tries no connections; the settings may still be
 * right.
 */
const isNotTestable = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === ErrorCode.PLUGIN_TYPE_UNSUPPORTED;

interface TagToReadProps {
  readonly plugin: string;
  readonly tag: TestTag;
  /** Why it could not be read as it stands here. */
  readonly refusal: string | undefined;
  readonly onChange: (tag: TestTag) => void;
}

/** The tag to read. Its address is checked while it is typed, but a wrong one can be tested too. */
function TagToRead({ plugin, tag, refusal, onChange }: TagToReadProps): ReactElement {
  const { t } = useTranslation();
  const { addresses, examples } = usePluginRules(plugin);
  const supported = typeNames.filter((name) => addresses?.has(typeFrom(name) ?? 0) ?? true);
  const isAddressWrong = tag.address !== '' && addresses?.get(tag.type)?.test(tag.address) === false;
  return (
    <Stack gap={4}>
      <Group align="flex-start">
        <TextInput
          label={t('tags.address')}
          spellCheck={false}
          autoComplete="off"
          value={tag.address}
          error={isAddressWrong ? t('tags.rule.address', { limit: dataTypeName(tag.type) }) : refusal}
          style={{ flex: '1 1 200px' }}
          onChange={(event) => onChange({ ...tag, address: event.currentTarget.value })}
        />
        <NativeSelect
          label={t('tags.type')}
          data={supported.length === 0 ? [...typeNames] : supported}
          value={dataTypeName(tag.type)}
          onChange={(event) => onChange({ ...tag, type: typeFrom(event.currentTarget.value) ?? tag.type })}
        />
      </Group>
      <AddressExamples of={examples.get(tag.type) ?? []} use={(address) => onChange({ ...tag, address })} />
    </Stack>
  );
}
