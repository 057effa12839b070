import { Text } from '@mantine/core';
import type { TraceFrame } from '@tagway/schemas';
import { useMemo, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Isolated } from '../../parts/isolated.tsx';
import { contentOf, linesOf } from './frame-text.ts';
import { TraceTable, type TraceView } from './trace-table.tsx';

/** Bytes of a message that are kept. */
const mostBytes = 65_000;

/** The messages of an app; one of them is shown with all that it carries. */
export function MessageList({ messages }: { readonly messages: readonly TraceFrame[] }): ReactElement {
  const { t } = useTranslation();
  const view = useMemo<TraceView>(
    () => ({
      column: {
        key: 'topic',
        title: t('messages.topic'),
        isLeftOut: true,
        cell: ({ topic = '' }) => (
          <Text size="sm" truncate="end" title={topic} maw="24vw">
            <Isolated>{topic}</Isolated>
          </Text>
        ),
      },
      title: t('messages.content'),
      content: ({ failure, text, hex, topic }) => (
        <Text size="sm" truncate="end" {...(failure !== undefined && { c: 'red' })}>
          {topic !== undefined && (
            <Text span inherit c="dimmed" hiddenFrom="sm">
              <Isolated>{topic}</Isolated>{' '}
            </Text>
          )}
          <Isolated>{failure ?? text ?? hex.slice(0, 96)}</Isolated>
        </Text>
      ),
      detailTitle: ({ number: n }) => t('messages.contentOf', { n }),
      detail: (message) =>
        [
          ...(message.size > mostBytes ? [t('messages.cut', { n: mostBytes, size: message.size })] : []),
          ...(message.failure === undefined ? [] : [message.failure]),
          ...contentLines(message),
        ].join('\n'),
    }),
    [t],
  );
  return (
    <TraceTable
      frames={messages}
      view={view}
      label={t('messages.list')}
      empty={t('messages.none')}
      margins={[420, 640]}
      wraps
    />
  );
}

/** A text as it is, JSON with line ends; and for other content what it means, and its bytes. */
function contentLines({ hex, text }: TraceFrame): readonly string[] {
  const content = contentOf(hex);
  if (content === undefined) return [...(text === undefined ? [] : [text]), ...linesOf(hex)];
  try {
    // Numbers of 64 bits would be rounded.
    return /\d{16}/.test(content) ? [content] : [JSON.stringify(JSON.parse(content), undefined, 2)];
  } catch {
    return [content];
  }
}
