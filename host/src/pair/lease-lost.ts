/** Another gateway has the lease by now, or nobody: what was to be done was not done. */
export class LeaseLost extends Error {}
