import type { TagsReply } from '@tagway/schemas';
import type { Page, Request } from 'playwright-core';
import { asAdmin, type TabOptions, useChromium } from '../kit/browser.ts';
import { type Plant, usePlant, type Used } from '../world/plant.ts';

/** To be called in a suite: a plant, and a browser for the page of its gateway. */
export function usePage<P extends Plant & Used = Plant & Used>(plant: P = usePlant() as P) {
  const chromium = useChromium();
  return {
    plant,
    chromium,
    /** Opens a place of the page as the administrator. */
    open: (place = '', options: TabOptions = {}): Promise<Page> =>
      chromium.open(plant.gateway, place, { as: asAdmin(plant.client), ...options }),
    async tagsOf(group: string, node = 'boiler'): Promise<TagsReply['tags']> {
      return (await plant.client.ok<TagsReply>('GET', '/tags', { node, group })).tags;
    },
    async groupsOf(node = 'boiler'): Promise<readonly object[]> {
      return (await plant.client.ok<{ groups: object[] }>('GET', '/group', { node })).groups;
    },
    async settingsOf(node = 'boiler'): Promise<Readonly<Record<string, unknown>>> {
      const query = { node };
      return (await plant.client.ok<{ params: Record<string, unknown> }>('GET', '/node/setting', query))
        .params;
    },
    async subscriptionsOf(app: string): Promise<readonly object[]> {
      return (await plant.client.ok<{ groups: object[] }>('GET', '/subscribe', { app })).groups;
    },
  };
}

/** The requests of a page to the API from here on that change something, or ask with a body. */
export function requestsOf(page: Page): Request[] {
  const requests: Request[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET' && pathOf(request).startsWith('/api')) requests.push(request);
  });
  return requests;
}

export const pathOf = (request: Request): string => new URL(request.url()).pathname;
