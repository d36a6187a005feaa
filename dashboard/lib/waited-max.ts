/** After so long a part is shown without what stands above it: it is better moved once than not seen. */
export const WAITED_MAX_MS = 2_000
