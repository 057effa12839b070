import type { NameSeparator } from '@tagway/schemas';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';

export interface Separator {
  readonly text: string;
  readonly error: unknown;
  readonly set: (text: string) => void;
}

const key = ['separator'];

/** What names are cut at, which the gateway keeps for everybody. It is sent shortly after the last change. */
export function useSeparator(): Separator {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: () => call<NameSeparator>('GET', 'live/separator'),
  });
  const [refusal, setRefusal] = useState<unknown>(null);
  const send = useDebouncedCallback(
    (text: string) => {
      call('PUT', 'live/separator', { body: { separator: text } })
        .then(() => setRefusal(null), setRefusal)
        .finally(() => void queries.invalidateQueries({ queryKey: key }));
    },
    { delay: 400, flushOnUnmount: true },
  );
  return {
    text: data?.separator ?? '/',
    error: refusal ?? error,
    set: (text) => {
      // An answer that is on its way has what was before.
      void queries.cancelQueries({ queryKey: key });
      queries.setQueryData<NameSeparator>(key, { separator: text });
      send(text);
    },
  };
}
