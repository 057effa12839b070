import { ActionIcon, Badge, Code, Group, Stack, Text } from '@mantine/core';
import { IconCheck, IconDownload, IconTrash, IconX } from '@tabler/icons-react';
import type { NodeCertificateBody, NodeCertificateRecord, NodeCertificatesReply } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { useRefresh } from '../../api/queries.ts';
import { useMay } from '../../api/use-role.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { download } from '../../parts/download.ts';
import { Isolated } from '../../parts/isolated.tsx';
import { timeText } from '../../parts/times.ts';
import { useAction } from '../../parts/use-action.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import type { TabProps } from './tab-props.ts';

type Place = NodeCertificateBody['to'];

/** Milliseconds between two looks: a client that was refused shows by itself. */
const pace = 5000;

const states = ['rejected', 'trusted', 'own'] as const;
const colours = { rejected: 'orange', trusted: 'teal', own: 'blue' } as const;

/** The certificates of a node: those that wait for a decision first. An admin trusts, rejects and deletes them. */
export default function Certificates({ node: { name: node } }: TabProps): ReactElement {
  const { t } = useTranslation();
  const mayMove = useMay('admin');
  const { run, isBusy } = useAction();
  const refresh = useRefresh();
  const [asked, setAsked] = useState<{ readonly one: NodeCertificateRecord; readonly to: Place }>();
  const key = ['node', node, 'certificates'];
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: async () =>
      (await call<NodeCertificatesReply>('GET', 'api/v2/node/certificates', { query: { node } }))
        .certificates,
    refetchInterval: pace,
  });

  async function move({ id, subject }: NodeCertificateRecord, to: Place): Promise<void> {
    const done = {
      trusted: 'certificates.didTrusted',
      rejected: 'certificates.didRejected',
      deleted: 'certificates.didDeleted',
    } as const;
    await run(
      () => call('PUT', 'api/v2/node/certificate', { body: { node, id, to } }),
      t(done[to], { name: shortName(subject) }),
    );
    setAsked(undefined);
    await refresh(key);
  }

  return (
    <Stack>
      <ErrorAlert error={error} />
      <Text size="sm" c="dimmed">
        {t('certificates.meaning')}
      </Text>
      {data?.length === 0 && <Text size="sm">{t('certificates.none')}</Text>}
      <Stack component="ul" gap="sm" p={0} m={0} aria-label={t('certificates.title')}>
        {states
          .flatMap((state) => (data ?? []).filter((one) => one.state === state))
          .map((one) => (
            <Certificate
              key={`${one.id} ${one.state}`}
              one={one}
              onMove={mayMove && one.state !== 'own' ? (to) => setAsked({ one, to }) : undefined}
            />
          ))}
      </Stack>
      {asked !== undefined && (
        <Question
          one={asked.one}
          to={asked.to}
          isBusy={isBusy}
          onConfirm={() => void move(asked.one, asked.to)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Stack>
  );
}

function Certificate(props: {
  readonly one: NodeCertificateRecord;
  readonly onMove: ((to: Place) => void) | undefined;
}): ReactElement {
  const { one, onMove } = props;
  const { t } = useTranslation();
  const { state, of, subject, sha1, sha256, until, authority } = one;
  const name = shortName(subject);
  return (
    <Group
      component="li"
      className="list-card"
      p="sm"
      justify="space-between"
      align="flex-start"
      wrap="nowrap"
    >
      <Stack gap={4} style={{ overflowWrap: 'anywhere' }}>
        <Group gap="xs">
          <Badge color={colours[state]} variant="light">
            {t(`certificates.${state}`)}
          </Badge>
          <Text size="sm" c="dimmed">
            {t(`certificates.${of}`)}
          </Text>
          <Text size="sm" fw={600}>
            <Isolated>{subject}</Isolated>
          </Text>
        </Group>
        {authority && <Text size="sm">{t('certificates.authority')}</Text>}
        <Text size="sm">
          {t('certificates.until')} {timeText(until)}
          {until < Date.now() && ` · ${t('certificates.ended')}`}
        </Text>
        <Text size="xs" c="dimmed">
          SHA-1 {sha1}
        </Text>
        <Text size="xs" c="dimmed">
          SHA-256 {sha256}
        </Text>
      </Stack>
      <Group gap={4} wrap="nowrap">
        <ActionIcon
          variant="default"
          aria-label={t('certificates.download', { name })}
          onClick={() => download(`${name}.der`, contentOf(one))}
        >
          <IconDownload size={16} />
        </ActionIcon>
        {onMove !== undefined && (
          <>
            {state === 'rejected' ? (
              <ActionIcon
                variant="default"
                aria-label={t('certificates.trust', { name })}
                onClick={() => onMove('trusted')}
              >
                <IconCheck size={16} />
              </ActionIcon>
            ) : (
              <ActionIcon
                variant="default"
                aria-label={t('certificates.reject', { name })}
                onClick={() => onMove('rejected')}
              >
                <IconX size={16} />
              </ActionIcon>
            )}
            <ActionIcon
              variant="default"
              aria-label={t('certificates.delete', { name })}
              onClick={() => onMove('deleted')}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </>
        )}
      </Group>
    </Group>
  );
}

function Question(props: {
  readonly one: NodeCertificateRecord;
  readonly to: Place;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}): ReactElement {
  const { one, to, isBusy, onConfirm, onClose } = props;
  const { t } = useTranslation();
  const name = shortName(one.subject);
  const texts = {
    trusted: ['certificates.trust', 'certificates.askTrust', 'certificates.doTrusted'],
    rejected: ['certificates.reject', 'certificates.askReject', 'certificates.doRejected'],
    deleted: ['certificates.delete', 'certificates.askDelete', 'certificates.doDeleted'],
  } as const;
  const [title, question, action] = texts[to];
  return (
    <Confirm
      isOpen
      title={t(title, { name })}
      action={t(action)}
      isBusy={isBusy}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <Text size="sm">{t(question, { name: one.subject })}</Text>
      <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {`SHA-1 ${one.sha1}\nSHA-256 ${one.sha256}`}
      </Code>
    </Confirm>
  );
}

/** The common name of a subject, or all of it where it has none. */
function shortName(subject: string): string {
  return /(?:^|, )CN=([^,]+)/.exec(subject)?.[1] ?? subject;
}

function contentOf({ content }: NodeCertificateRecord): Blob {
  return new Blob([Uint8Array.from(atob(content), (character) => character.charCodeAt(0))]);
}
