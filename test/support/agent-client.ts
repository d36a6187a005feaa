import assert from 'node:assert/strict'
import type { Client } from '@modelcontextprotocol/client'

export type Json = Record<string, unknown>
/** The structured result of a tool, which the client has held to its schema. */
export async function run(client: Client, name: string, input: object = {}): Promise<Json> {
  const result = await client.callTool({ name, arguments: { ...input } })
  assert.equal(result.isError ?? false, false, JSON.stringify(result.content))
  return result.structuredContent as Json
}

/** Says why a tool refused. */
export async function refusalOf(client: Client, name: string, input: object = {}): Promise<Json> {
  const { isError, content } = await client.callTool({ name, arguments: { ...input } })
  assert.equal(isError, true)
  return JSON.parse((content as { text: string }[])[0]!.text)
}

/** A request of the protocol. */
export const rpc = (method: string, params: object = {}, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
  ...more,
})
