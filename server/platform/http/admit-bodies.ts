import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../problem.ts'
import { ReceivingRoom, type Room, type Share } from '../receiving-room.ts'
import { isInside } from './call-inside.ts'
import { HTTP_PROBLEMS } from './http-problems.ts'
import { JSON_MEDIA_TYPE } from './json-media-type.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** True once the rest of the body is read and dropped, for there is no room for it. */
    bodyRefused: boolean
  }
}

const MIB = 1_048_576
const AGAIN_SECONDS = 1

/** Memory for the bodies of requests that have not ended, from when they begin to arrive until they are answered. */
export const BODY_ROOM = {
  /** Of all together. Each byte is in memory some three times while it is parsed and worked with. */
  bytes: 128 * MIB,
  /** Of one workspace. */
  workspaceBytes: 96 * MIB,
  /** Of one token, session or network. */
  senderBytes: 64 * MIB,
  /** A body up to this length takes no room and never waits for any: a connection with one costs no more than others do. */
  freeBytes: 64 * 1024,
}

/** The sender of a request, as far as its headers tell, and the workspace that they are in. */
export type BodySender = { sender: string; workspace?: string }

export type BodyRoomOptions = { room: typeof BODY_ROOM; senderOf: (request: FastifyRequest) => BodySender }

/** Lets a body in: with the stream that is to be read in its place. Throws 429 or 503 where there is no room for it. */
export type AdmitBody = (request: FastifyRequest, reply: FastifyReply, payload: Readable) => Readable

/** A length that is stated takes its room at once, so that what has begun to arrive can end; any other as it arrives. */
export function createBodyRoom({ room: { bytes, freeBytes, ...sharesOf }, senderOf }: BodyRoomOptions): AdmitBody {
  const room = new ReceivingRoom(bytes)

  function shares(request: FastifyRequest): Share[] {
    const { sender, workspace } = senderOf(request)
    const own = { of: `sender ${sender}`, bytesMax: sharesOf.senderBytes }
    return workspace === undefined ? [own] : [own, { of: workspace, bytesMax: sharesOf.workspaceBytes }]
  }

  return (request, reply, payload) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers
    const stated = Number(length)
    // A request that another one makes is part of that one.
    if ((length === undefined ? coding === undefined : stated <= freeBytes) || isInside()) return payload
    // Refused for its length before any of it is read.
    if (stated > request.routeOptions.bodyLimit) return payload
    if (request.server.takesStreams && !JSON_MEDIA_TYPE.test(request.headers['content-type'] ?? '')) return payload
    const own = holding(room.of(shares(request)), reply)
    if (length !== undefined) own.take(stated)
    return length === undefined ? countedBody(payload, own.take, freeBytes) : payload
  }
}

/** Takes room for a request, which gives it back when it ends. */
function holding(room: Room, reply: FastifyReply) {
  let held = 0
  let isOver = false
  reply.raw.once('close', () => {
    isOver = true
    room.giveBack(held)
  })
  return {
    take(bytes: number): void {
      // The rest of a refused body is dropped as it arrives, and nobody would give its room back.
      if (isOver) return
      const lack = room.take(bytes)
      if (lack === undefined) held += bytes
      else throw noRoom(lack, reply)
    },
  }
}

function noRoom(lack: 'share' | 'room', reply: FastifyReply): Problem {
  reply.bodyRefused = true
  const headers = { 'retry-after': String(AGAIN_SECONDS) }
  if (lack === 'room') return new Problem(HTTP_PROBLEMS.overloaded, { headers })
  const detail = 'Too much of yours is on its way at once. Send less side by side.'
  return new Problem(HTTP_PROBLEMS.tooManyRequests, { headers, detail })
}

/** The stream of a body of unknown length. Nobody listens to it once it is refused, and it may break off even then. */
function countedBody(payload: Readable, take: (bytes: number) => void, freeBytes: number): Readable {
  return Readable.from(counted(payload, take, freeBytes), { objectMode: false }).on('error', () => undefined)
}

/** A body of unknown length, each piece of which has its room before it is passed on. */
async function* counted(payload: Readable, take: (bytes: number) => void, freeBytes: number): AsyncGenerator<Buffer> {
  let free = freeBytes
  for await (const piece of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const unpaid = Math.max(0, piece.length - free)
    free -= piece.length - unpaid
    if (unpaid > 0) take(unpaid)
    yield piece
  }
}
