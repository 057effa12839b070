import { Text } from '@mantine/core';
import { ErrorCode } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Texts } from '../texts/en.ts';

type Key = `advice.${keyof Texts['advice']}`;

/** What to do about a failure, by its code. The gateway's sentence says what happened; the advice says what to check. */
const byCode = new Map<number, Key>([
  [ErrorCode.DISCONNECTED, 'advice.link'],
  [ErrorCode.NO_RESPONSE, 'advice.silent'],
  [ErrorCode.READ_FAILED, 'advice.refusedRead'],
  [ErrorCode.WRITE_FAILED, 'advice.refusedWrite'],
  [ErrorCode.DECODE_FAILED, 'advice.decode'],
  [ErrorCode.OUT_OF_ORDER, 'advice.decode'],
  [ErrorCode.VALUE_EXPIRED, 'advice.expired'],
  [ErrorCode.NOT_RUNNING, 'advice.still'],
  [ErrorCode.NOT_READY, 'advice.wait'],
  [ErrorCode.BUSY, 'advice.busy'],
  [ErrorCode.TAG_ADDRESS_INVALID, 'advice.address'],
  [ErrorCode.TAG_TYPE_UNSUPPORTED, 'advice.type'],
  [ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED, 'advice.attribute'],
  [ErrorCode.NODE_SETTING_INVALID, 'advice.settings'],
]);

interface Props {
  readonly codes: readonly number[];
  /** The node is an app, which is connected to a server. */
  readonly isApp?: boolean;
}

/** The advice for these codes, each once. A plugin's own codes have none. */
export function Advice({ codes, isApp = false }: Props): ReactElement | null {
  const { t } = useTranslation();
  const keyOf = (code: number): Key | undefined =>
    isApp && code === ErrorCode.DISCONNECTED ? 'advice.server' : byCode.get(code);
  const keys = new Set(codes.map(keyOf).filter((key) => key !== undefined));
  if (keys.size === 0) return null;
  return (
    <Text size="sm" component="div">
      <Text span size="sm" fw={600}>
        {`${t('advice.title')}: `}
      </Text>
      {[...keys].map((key) => t(key)).join(' ')}
    </Text>
  );
}
