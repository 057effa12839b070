import { Code, Text, UnstyledButton } from '@mantine/core';
import type { TraceFrame } from '@tagway/schemas';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Isolated } from '../../parts/isolated.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { contentOf, linesOf } from './frame-text.ts';
import { traceColumns } from './trace-columns.tsx';

/** Bytes of a message that are kept. */
const mostBytes = 65_000;

/** The messages of an app; one of them is shown with all that it carries. */
export function MessageList({ messages }: { readonly messages: readonly TraceFrame[] }): ReactElement {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<number>();
  const columns = useMemo<Column<TraceFrame>[]>(() => {
    const common = traceColumns(t);
    return [
      common.time,
      common.direction,
      {
        key: 'topic',
        title: t('messages.topic'),
        cell: ({ topic = '' }) => (
          <Text size="sm" truncate="end" title={topic} maw="24vw">
            <Isolated>{topic}</Isolated>
          </Text>
        ),
      },
      common.size,
      {
        key: 'content',
        title: t('messages.content'),
        isFilling: true,
        cell: (message) => (
          <UnstyledButton
            fz="inherit"
            w="100%"
            onClick={() => setChosen(message.number)}
            aria-pressed={message.number === chosen}
          >
            <Text size="sm" truncate="end" {...(message.failure !== undefined && { c: 'red' })}>
              <Isolated>{message.failure ?? message.text ?? message.hex.slice(0, 96)}</Isolated>
            </Text>
          </UnstyledButton>
        ),
      },
    ];
  }, [t, chosen]);
  const message = chosen === undefined ? undefined : messages[chosen - 1];
  return (
    <>
      <Table
        rows={messages}
        columns={columns}
        keyOf={({ number }) => String(number)}
        label={t('messages.list')}
        empty={t('messages.none')}
        height={message === undefined ? 'calc(100vh - 420px)' : 'calc(100vh - 640px)'}
      />
      {message !== undefined && (
        <Code
          block
          tabIndex={0}
          role="region"
          aria-label={t('messages.contentOf', { n: message.number })}
          mah={220}
          style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
        >
          {[
            ...(message.size > mostBytes ? [t('messages.cut', { n: mostBytes, size: message.size })] : []),
            ...(message.failure === undefined ? [] : [message.failure]),
            ...contentLines(message),
          ].join('\n')}
        </Code>
      )}
    </>
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
