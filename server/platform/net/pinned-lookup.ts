import net from 'node:net'

/** The look-up hook of a socket, bound to addresses found before. Never called for a literal address. */
export function pinnedLookup(addresses: readonly string[]): net.LookupFunction {
  const pinned = addresses.map((address) => ({ address, family: net.isIP(address) }))
  return (_hostname, options, callback) => {
    if (options.all === true) callback(null, pinned)
    else callback(null, pinned[0]?.address ?? '', pinned[0]?.family ?? 0)
  }
}
