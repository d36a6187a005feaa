import type { Module } from '../module.ts'
import { TOOLSETS, type Tool } from '../tool.ts'
import { mcpApi } from './api.ts'
import { apiTools } from './api-tools.ts'
import { readyTool } from './call-tool.ts'
import type { KnownOrigins } from './judge-origin.ts'
import { createServeAgents } from './serve-agents.ts'
import { overviewTool } from './tools.ts'

export type McpModuleDeps = {
  /** Those of all other modules. */
  tools: readonly Tool[]
  origins: KnownOrigins
  version: string
  onCall: (tool: string, outcome: string) => void
  onError: (error: unknown) => void
}

export function mcpModule({ origins, ...deps }: McpModuleDeps): Module {
  const tools = [...deps.tools, ...apiTools]
  const all = [overviewTool(tools), ...tools].sort(
    (one, other) => TOOLSETS.indexOf(one.toolset) - TOOLSETS.indexOf(other.toolset),
  )
  return {
    routes(app) {
      mcpApi(app, { origins, serve: createServeAgents({ ...deps, tools: all.map(readyTool) }) })
    },
  }
}
