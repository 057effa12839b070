import { isOffline } from '@tagway/schemas';
import { Anchor, Popover, Stack, Text, UnstyledButton } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useStates } from '../live/use-live.ts';
import { Advice } from '../parts/advice.tsx';
import { timeText } from '../parts/times.ts';
import { useAge, useNow } from '../shell/age.ts';
import { Isolated } from '../parts/isolated.tsx';

/** A red with enough contrast in both themes. */
const errorColour = 'light-dark(var(--mantine-color-red-9), var(--mantine-color-red-4))';

interface Props {
  readonly node: string;
  readonly error: number;
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** It may have been there before. */
  readonly isAtLeast: boolean;
}

/** The error of a tag, truncated; a click shows all of it, with advice. */
export function ErrorCell(props: Props): ReactElement {
  const { message } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} width={360} position="bottom-start" withArrow>
      <Popover.Target>
        <UnstyledButton display="block" maw={420} w="100%" onClick={() => setOpen(!isOpen)}>
          <Text size="sm" c={errorColour} title={message} truncate td="underline dotted">
            <Isolated>{message}</Isolated>
          </Text>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>{isOpen && <ErrorDetails {...props} />}</Popover.Dropdown>
    </Popover>
  );
}

/** The whole error. A tag's error only says that its driver has no link; the driver's last error says why. */
function ErrorDetails({ node, error, message, since, isAtLeast }: Props): ReactElement {
  const { t } = useTranslation();
  const age = useAge();
  const now = useNow();
  const state = useStates()?.get(node);
  const last = state !== undefined && isOffline(state) ? state.last_error : undefined;
  return (
    <Stack gap={4} style={{ overflowWrap: 'anywhere' }}>
      <Text size="sm">{last?.code === error ? last.text : message}</Text>
      <Advice codes={[error]} />
      <Text size="xs" c="dimmed">
        {t(isAtLeast ? 'causes.sinceAtLeast' : 'causes.since', {
          time: timeText(since),
          age: age(now - since),
          code: error,
        })}
      </Text>
      <Anchor component={Link} to={`/nodes/${encodeURIComponent(node)}`} size="sm" underline="always">
        {t('causes.node', { name: node })}
      </Anchor>
    </Stack>
  );
}
