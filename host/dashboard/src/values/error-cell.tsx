import { Popover, Stack, Text, UnstyledButton } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Advice } from '../parts/advice.tsx';
import { timeText } from '../parts/times.ts';
import { useAge } from '../shell/age.ts';

/** Red that is legible on the ground of both themes. */
const errorColour = 'light-dark(var(--mantine-color-red-9), var(--mantine-color-red-4))';

interface Props {
  readonly error: number;
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** Why a tag has no value: the beginning of the sentence, and by a click all of it, with what to do. */
export function ErrorCell({ error, message, since }: Props): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} width={360} position="bottom-start" withArrow withinPortal>
      <Popover.Target>
        <UnstyledButton display="block" maw={420} w="100%" onClick={() => setOpen(!isOpen)}>
          <Text size="sm" c={errorColour} title={message} truncate td="underline dotted">
            {message}
          </Text>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>{isOpen && <Whole error={error} message={message} since={since} />}</Popover.Dropdown>
    </Popover>
  );
}

function Whole({ error, message, since }: Props): ReactElement {
  const { t } = useTranslation();
  const age = useAge();
  return (
    <Stack gap={4} style={{ overflowWrap: 'anywhere' }}>
      <Text size="sm">{message}</Text>
      <Advice codes={[error]} />
      <Text size="xs" c="dimmed">
        {t('causes.since', { time: timeText(since), age: age(Date.now() - since), code: error })}
      </Text>
    </Stack>
  );
}
