/** Those of one test. */
const ADDRESSES_MAX = 10

/** Addresses as people list them: with commas, semicolons, spaces or line ends between. */
export function addressesIn(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((address) => address !== ''))]
}

/** What is wrong with a list of addresses before anybody is asked, or undefined. */
export function addressesFault(addresses: readonly string[]): string | undefined {
  if (addresses.length === 0) return 'Whom does it go to?'
  return addresses.length > ADDRESSES_MAX ? `A test goes to ${ADDRESSES_MAX} addresses at most.` : undefined
}
