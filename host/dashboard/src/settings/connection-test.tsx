import { Alert, Button, Checkbox, Group, Loader, NativeSelect, Stack, TextInput } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { DataType, ErrorCode, NodeType, type NodeTestReply, dataTypeName } from '@tagway/schemas';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call } from '../api/call.ts';
import { usePlugins } from '../api/queries.ts';
import { usePluginRules } from '../api/tag-rules.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { AddressExamples } from '../tags/address-examples.tsx';
import { typeFrom, typeNames } from '../values/data-types.ts';
import { TrialSteps } from './trial-steps.tsx';

interface Props {
  readonly plugin: string;
  /** The node that has the settings; undefined for a node that is not added yet. */
  readonly node: string | undefined;
  /** The settings in the form, saved or not. */
  readonly params: Readonly<Record<string, unknown>>;
}

interface Outcome {
  readonly params: Props['params'];
  readonly steps: NodeTestReply['steps'];
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The type of the tag to read; undefined without a tag. */
  readonly type: DataType | undefined;
}

/** Tests the settings of a form before they are saved, and shows which steps to the device succeed. */
export function ConnectionTest(props: Props): ReactElement | null {
  const { data: plugins } = usePlugins();
  const type = plugins?.find(({ name }) => name === props.plugin)?.node_type;
  return type === undefined ? null : <NodeTest {...props} isDriver={type === NodeType.DRIVER} />;
}

function NodeTest({ plugin, node, params, isDriver }: Props & { readonly isDriver: boolean }): ReactElement {
  const { t } = useTranslation();
  const [tag, setTag] = useState<{ readonly address: string; readonly type: DataType }>();
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
      setOutcome({ params, steps, at: Date.now(), type: tag?.type });
    } catch (refusal) {
      if (!attempt.signal.aborted) setError(refusal);
    } finally {
      if (abort.current === attempt) setBusy(false);
    }
  }

  return (
    <Stack gap="xs" mt="md">
      <Group gap="md">
        <Button
          variant="default"
          disabled={isBusy || tag?.address === ''}
          leftSection={isBusy ? <Loader size={16} /> : <IconPlugConnected size={16} aria-hidden />}
          onClick={() => void run()}
        >
          {t(isBusy ? 'trial.running' : 'trial.run')}
        </Button>
        {isBusy && (
          <Button
            variant="subtle"
            onClick={() => {
              abort.current?.abort();
              setBusy(false);
            }}
          >
            {t('app.cancel')}
          </Button>
        )}
        {isDriver && (
          <Checkbox
            label={t('trial.read')}
            checked={tag !== undefined}
            onChange={(event) =>
              setTag(event.currentTarget.checked ? { address: '', type: DataType.INT16 } : undefined)
            }
          />
        )}
      </Group>
      {tag !== undefined && <TestTag plugin={plugin} tag={tag} onChange={setTag} />}
      {isNotTestable(error) ? (
        <Alert color="yellow" variant="light" role="alert">
          {error.message}
        </Alert>
      ) : (
        <ErrorAlert error={error} />
      )}
      {outcome !== undefined && (
        <TrialSteps {...outcome} isDriver={isDriver} isStale={outcome.params !== params} />
      )}
    </Stack>
  );
}

/**
 * A driver that waits for a connection from its device cannot be tested, nor an app that tries no connections; the settings may still be
 * right.
 */
const isNotTestable = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === ErrorCode.PLUGIN_TYPE_UNSUPPORTED;

interface TestTagProps {
  readonly plugin: string;
  readonly tag: { readonly address: string; readonly type: DataType };
  readonly onChange: (tag: { readonly address: string; readonly type: DataType }) => void;
}

/** The tag to read. Its address is checked while it is typed, but a wrong one can be tested too. */
function TestTag({ plugin, tag, onChange }: TestTagProps): ReactElement {
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
          error={isAddressWrong && t('tags.rule.address', { limit: dataTypeName(tag.type) })}
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
