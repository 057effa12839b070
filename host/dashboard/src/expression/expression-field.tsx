import { Combobox, Text, Textarea, useCombobox } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { unfinishedAt, type Completion } from './completion.ts';
import { LiveResult } from './live-result.tsx';
import { useCompletions } from './use-completions.ts';

interface Props {
  readonly label: string;
  /** The node of the tag, which cannot read itself. */
  readonly node: string;
  /** The type of the tag. */
  readonly type: number;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
  /** Calculates what is written without adding it. Absent in templates, whose inputs need not be there. */
  readonly evaluate: ((expression: string) => Promise<string>) | undefined;
}

/** An address that refers to other tags: written with completion, and calculated while it is written. */
export function ExpressionField({
  label,
  node,
  type,
  value,
  error,
  onChange,
  evaluate,
}: Props): ReactElement {
  const { t } = useTranslation();
  const area = useRef<HTMLTextAreaElement>(null);
  const [cursor, setCursor] = useState<number>();
  /** Somebody writes, and has not turned the list away. */
  const [isTyping, setTyping] = useState(false);
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const unfinished = cursor === undefined ? undefined : unfinishedAt(value, cursor);
  const completions = useCompletions(unfinished, node);

  const isEmpty = completions.length === 0;
  const isShown = isTyping && !isEmpty;
  const { closeDropdown, openDropdown } = combobox;
  // Names may come only after they were asked for.
  useEffect(() => {
    if (isShown) openDropdown();
    else closeDropdown();
  }, [isShown, openDropdown, closeDropdown]);

  function placeCursor(at: number): void {
    // The text has to be in the field before the cursor can be put into it.
    requestAnimationFrame(() => {
      area.current?.focus();
      area.current?.setSelectionRange(at, at);
      setCursor(at);
    });
  }

  function take({ text }: Completion): void {
    if (unfinished === undefined || cursor === undefined) return;
    // What comes next has ways of its own.
    combobox.resetSelectedOption();
    onChange(value.slice(0, unfinished.from) + text + value.slice(cursor));
    placeCursor(unfinished.from + text.length);
  }

  return (
    <div>
      <Combobox
        store={combobox}
        withinPortal
        position="bottom-start"
        onOptionSubmit={(index) => {
          const completion = completions[Number(index)];
          if (completion !== undefined) take(completion);
        }}
      >
        {/* The arrows move in the text as long as there is no list. */}
        <Combobox.EventsTarget withKeyboardNavigation={isShown}>
          <Textarea
            ref={area}
            label={label}
            description={t('expression.help')}
            required
            autosize
            minRows={2}
            maxRows={12}
            spellCheck={false}
            autoComplete="off"
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            value={value}
            error={error}
            onChange={(event) => {
              onChange(event.currentTarget.value);
              setCursor(event.currentTarget.selectionStart);
              setTyping(true);
            }}
            onClick={(event) => setCursor(event.currentTarget.selectionStart)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') setTyping(false);
            }}
            onBlur={() => setTyping(false)}
          />
        </Combobox.EventsTarget>
        <Combobox.Dropdown hidden={!isShown}>
          <Combobox.Options mah={220} style={{ overflowY: 'auto' }} aria-label={t('expression.completions')}>
            {completions.map((completion, index) => (
              <Combobox.Option key={completion.label} value={String(index)}>
                <Text size="sm" ff="monospace">
                  {completion.label}
                </Text>
              </Combobox.Option>
            ))}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
      {evaluate !== undefined && (
        <LiveResult {...{ expression: value, type, evaluate }} onPlace={placeCursor} />
      )}
    </div>
  );
}
