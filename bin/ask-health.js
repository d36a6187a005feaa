import process from 'node:process'

/*
 * What the health check of a container asks: exit code 0 where the process with these settings answers, 1 where it does not. One that
 * works has its probes beside its metrics; without METRICS_ADDR it answers nowhere, and is well as long as it runs.
 */

const EVERYWHERE = new Set(['', '0.0.0.0', '::', '[::]'])
const { ROLE, HOST = '', PORT, METRICS_ADDR } = process.env

const address = ROLE === 'worker' ? METRICS_ADDR : `${HOST}:${PORT || 3000}`
if (address) {
  const at = address.lastIndexOf(':')
  const [host, port] = [address.slice(0, at), address.slice(at + 1)]
  const name = EVERYWHERE.has(host) ? 'localhost' : /^[^[].*:/.test(host) ? `[${host}]` : host
  // How long it may take is said beside the health check.
  const answer = await fetch(`http://${name}:${port}/healthz`).catch(() => undefined)
  process.exitCode = answer?.ok ? 0 : 1
}
