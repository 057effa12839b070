import { useDebouncedValue } from '@mantine/hooks';
import type { ReferencesBody, ReferencesReply } from '@tagway/schemas';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../../api/call.ts';

/** References that are read and that are written, each once. */
export interface NamedTags {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** Most references that are asked about at once; the gateway checks the others when they are saved. */
const most = 20_000;

/** Why references lead to no tag: the gateway is asked shortly after the last change. */
export function useReferenceProblems(
  named: NamedTags,
): (role: keyof NamedTags, text: string) => string | undefined {
  const [settled] = useDebouncedValue(named, 500);
  const { data } = useQuery({
    queryKey: ['references', settled],
    queryFn: async ({ signal }) => {
      const body: ReferencesBody = { read: settled.read.slice(0, most), write: settled.write.slice(0, most) };
      return {
        asked: settled,
        reply: await call<ReferencesReply>('POST', 'live/references', { body, signal }),
      };
    },
    enabled: settled.read.length + settled.write.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
    structuralSharing: false,
  });
  return useMemo(() => {
    const problems = new Map<string, string>();
    for (const role of ['read', 'write'] as const)
      for (const { index, message } of data?.reply[role] ?? [])
        problems.set(`${role} ${data?.asked[role][index] ?? ''}`, message);
    return (role, text) => problems.get(`${role} ${text}`);
  }, [data]);
}
