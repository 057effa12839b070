/** Of the hash of a password, for the hundreds of gateways that tests begin: a two-thousandth of the real one. */
export const hashCost = 16;
