import { once } from 'node:events'
import net from 'node:net'
import { Worker } from 'node:worker_threads'

/** A port whose queue of connections is full and never emptied: connecting to it hangs, as to a dead machine. */
export type UnacceptingPort = { readonly port: number; close(): Promise<void> }

const LISTEN_AND_BLOCK = `
  const { parentPort } = require('node:worker_threads')
  const server = require('node:net').createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
  })
`
const FILLERS_MAX = 16
/** On loopback a connection is there at once or not at all; the kernel repeats a dropped SYN after 1 s. */
const CONNECT_WAIT_MS = 200

/** Listens in a thread that blocks at once, then fills the kernel's queue until a connection is not taken any more. */
export async function startUnacceptingPort(): Promise<UnacceptingPort> {
  const worker = new Worker(LISTEN_AND_BLOCK, { eval: true })
  const [port] = (await once(worker, 'message')) as [number]
  const fillers: net.Socket[] = []
  for (let taken = true; taken && fillers.length < FILLERS_MAX; ) {
    const socket = net.connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    fillers.push(socket)
    taken = await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_WAIT_MS) }).then(
      () => true,
      () => false,
    )
  }
  return {
    port,
    async close() {
      for (const socket of fillers) socket.destroy()
      await worker.terminate()
    },
  }
}
