import type {
  DirectoryJob,
  DirectoryJobBody,
  DirectoryJobReply,
  DirectorySearchReply,
  OutdatedReply,
  PackageReply,
} from '@tagway/schemas';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from '../../api/call.ts';

/** Packages on one page of a search. */
const pageSize = 50;

/** Milliseconds between two looks at a job. */
const period = 1000;

/** What a job may still be in; after the others it changes no more. */
const open: ReadonlySet<DirectoryJob['state']> = new Set([
  'waiting',
  'asking',
  'fetching',
  'checking',
  'installing',
]);

export const isOpen = ({ state }: DirectoryJob): boolean => open.has(state);

export interface Search {
  readonly text: string;
  readonly page: number;
  readonly prerelease: boolean;
}

/** What the registries find. They are asked once for each search that the user makes, and not again by themselves. */
export const useSearch = (search: Search | undefined): UseQueryResult<DirectorySearchReply> =>
  useQuery({
    queryKey: ['directory', 'search', search],
    queryFn: ({ signal }) =>
      call<DirectorySearchReply>('GET', 'api/v2/directory/search', {
        query: {
          text: search?.text,
          page: search?.page,
          page_size: pageSize,
          prerelease: String(search?.prerelease ?? false),
        },
        signal,
      }),
    enabled: search !== undefined,
    placeholderData: keepPreviousData,
    ...once,
  });

export interface Wanted {
  readonly package: string;
  /** Undefined: the newest that fits. */
  readonly version: string | undefined;
  readonly prerelease: boolean;
}

/** What a registry says of a package. */
export const usePackage = (wanted: Wanted): UseQueryResult<PackageReply> =>
  useQuery({
    queryKey: ['directory', 'package', wanted],
    queryFn: ({ signal }) =>
      call<PackageReply>('GET', 'api/v2/directory/package', {
        query: { ...wanted, prerelease: String(wanted.prerelease) },
        signal,
      }),
    ...once,
  });

/** Asks nobody but the gateway: which plugins had a newer version when it looked last. */
export const useOutdated = (isEnabled: boolean): UseQueryResult<OutdatedReply> =>
  useQuery({
    queryKey: ['directory', 'outdated'],
    queryFn: () => call<OutdatedReply>('GET', 'api/v2/directory/outdated'),
    enabled: isEnabled,
    retry: false,
  });

/** Asks the registries which plugins have a newer version. */
export const lookForUpdates = (): Promise<OutdatedReply> =>
  call<OutdatedReply>('GET', 'api/v2/directory/outdated', { query: { look: 'true' } });

export async function startJob(body: DirectoryJobBody): Promise<string> {
  return (await call<DirectoryJobReply>('POST', 'api/v2/directory/job', { body })).job;
}

/** A job that is over, or installs already, is not cancelled, which is as well. */
export const cancelJob = (job: string): Promise<unknown> =>
  call('DELETE', 'api/v2/directory/job', { body: { job } }).catch(() => undefined);

/** The progress of a job until it is over. */
export const useJob = (job: string | undefined): UseQueryResult<DirectoryJob> =>
  useQuery({
    queryKey: ['directory', 'job', job],
    queryFn: () => call<DirectoryJob>('GET', 'api/v2/directory/job', { query: { job } }),
    enabled: job !== undefined,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state: { data } }) => (data === undefined || isOpen(data) ? period : false),
  });

/** A question to a registry costs seconds and is seen there: it is repeated by the user alone. */
const once = {
  staleTime: Infinity,
  retry: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const;
