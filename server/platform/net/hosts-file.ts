import { readFile, stat } from 'node:fs/promises'
import net from 'node:net'

/** How long a reading of the file is trusted before its modification time is looked at again. */
const HOSTS_CHECK_INTERVAL_MS = 5_000
const HOSTS_FILE = '/etc/hosts'

/** Addresses a name has in the hosts file; empty when it has none. */
export type HostsLookup = (hostname: string) => Promise<readonly string[]>

/** Reads the text of a hosts file: one address a line, then its names; `#` begins a comment. Names are lower-cased. */
export function parseHosts(text: string): Map<string, string[]> {
  const addressesByName = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (net.isIP(address) === 0) continue
    for (const name of names) {
      const key = name.toLowerCase()
      const addresses = addressesByName.get(key)
      if (addresses === undefined) addressesByName.set(key, [address])
      else addresses.push(address)
    }
  }
  return addressesByName
}

/** A look-up in the system's hosts file, read again when it has changed. A file that cannot be read has no names. */
export function createHostsLookup(path = HOSTS_FILE): HostsLookup {
  let addressesByName = new Map<string, string[]>()
  let modifiedMs = -1
  let checkedMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  async function readAgain(): Promise<void> {
    try {
      const { mtimeMs } = await stat(path)
      if (mtimeMs === modifiedMs) return
      addressesByName = parseHosts(await readFile(path, 'utf8'))
      modifiedMs = mtimeMs
    } catch {
      addressesByName = new Map()
      modifiedMs = -1
    }
  }

  return async (hostname) => {
    const nowMs = performance.now()
    if (nowMs - checkedMs >= HOSTS_CHECK_INTERVAL_MS) {
      checkedMs = nowMs
      reading = readAgain()
    }
    // Those who come while it is read wait as well, or the first ones would find an empty file.
    await reading
    return addressesByName.get(hostname) ?? []
  }
}
