interface SubscriptionNames {
  readonly driver: string;
  readonly group: string;
  readonly params?: unknown;
}

/** A subscription as checks and previews get it, without `params` when there are none. */
export function subscriptionOf({
  driver,
  group,
  params,
}: SubscriptionNames): SubscriptionNames & { params?: never } {
  return { driver, group, ...(params !== undefined && { params: params as never }) };
}
