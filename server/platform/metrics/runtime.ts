import { readdir } from 'node:fs/promises'
import { monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks'
import v8 from 'node:v8'
import type { Meter } from '@opentelemetry/api'

const DELAY_RESOLUTION_MS = 20
const NANOSECONDS = 1e9
const GC_BUCKETS_SECONDS = [0.01, 0.1, 1, 10]
type GarbageCollection = PerformanceEntry & { detail: { kind: number } }
/** perf_hooks' constants NODE_PERFORMANCE_GC_*, as OpenTelemetry names them. */
const GC_TYPES: Record<number, string> = { 1: 'minor', 2: 'minor', 4: 'major', 8: 'incremental', 16: 'weakcb' }

/**
 * Metrics of Node.js and of the process, named after OpenTelemetry's semantic conventions (`nodejs.*`, `v8js.*`,
 * `process.*`) with the unit as suffix. Event loop figures cover the time since the scrape before. Returns what stops them.
 */
export function observeRuntime(meter: Meter): () => void {
  const stops = [observeEventLoopDelay(meter), observeGarbageCollection(meter)]
  observeEventLoopTime(meter)
  observeHeap(meter)
  observeProcess(meter)
  return () => {
    for (const stop of stops) stop()
  }
}

function observeEventLoopDelay(meter: Meter): () => void {
  const histogram = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })
  histogram.enable()
  const gauge = (name: string, help: string) =>
    meter.createObservableGauge(`nodejs_eventloop_delay_${name}_seconds`, { description: help })
  const min = gauge('min', 'Shortest event loop delay.')
  const max = gauge('max', 'Longest event loop delay.')
  const mean = gauge('mean', 'Mean event loop delay.')
  const stddev = gauge('stddev', 'Standard deviation of the event loop delay.')
  const p50 = gauge('p50', 'Median event loop delay.')
  const p90 = gauge('p90', '90th percentile of the event loop delay.')
  const p99 = gauge('p99', '99th percentile of the event loop delay.')
  // Node records the whole interval between two ticks of its timer; the delay is what exceeds the timer's own interval.
  const delaySeconds = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS - DELAY_RESOLUTION_MS / 1_000)
  meter.addBatchObservableCallback(
    (result) => {
      if (histogram.count === 0) return
      result.observe(min, delaySeconds(histogram.min))
      result.observe(max, delaySeconds(histogram.max))
      result.observe(mean, delaySeconds(histogram.mean))
      result.observe(stddev, histogram.stddev / NANOSECONDS)
      result.observe(p50, delaySeconds(histogram.percentile(50)))
      result.observe(p90, delaySeconds(histogram.percentile(90)))
      result.observe(p99, delaySeconds(histogram.percentile(99)))
      histogram.reset()
    },
    [min, max, mean, stddev, p50, p90, p99],
  )
  return () => {
    histogram.disable()
  }
}

function observeEventLoopTime(meter: Meter): void {
  const utilization = meter.createObservableGauge('nodejs_eventloop_utilization_ratio', {
    description: 'Share of the time the event loop was not idle.',
  })
  const time = meter.createObservableCounter('nodejs_eventloop_time_seconds_total', {
    description: 'Time the event loop has been active and idle.',
  })
  let last = performance.eventLoopUtilization()
  meter.addBatchObservableCallback(
    (result) => {
      const now = performance.eventLoopUtilization()
      result.observe(utilization, performance.eventLoopUtilization(now, last).utilization)
      result.observe(time, now.active / 1_000, { nodejs_eventloop_state: 'active' })
      result.observe(time, now.idle / 1_000, { nodejs_eventloop_state: 'idle' })
      last = now
    },
    [utilization, time],
  )
}

function observeGarbageCollection(meter: Meter): () => void {
  const duration = meter.createHistogram('v8js_gc_duration_seconds', {
    description: 'Duration of garbage collections.',
    advice: { explicitBucketBoundaries: GC_BUCKETS_SECONDS },
  })
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as GarbageCollection[]) {
      duration.record(entry.duration / 1_000, { v8js_gc_type: GC_TYPES[entry.detail.kind] ?? 'other' })
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => observer.disconnect()
}

function observeHeap(meter: Meter): void {
  const used = meter.createObservableGauge('v8js_memory_heap_used_bytes', { description: 'Heap memory in use.' })
  const size = meter.createObservableGauge('v8js_memory_heap_space_size_bytes', {
    description: 'Heap memory reserved.',
  })
  const available = meter.createObservableGauge('v8js_memory_heap_space_available_size_bytes', {
    description: 'Heap memory reserved and free.',
  })
  const limit = meter.createObservableGauge('v8js_memory_heap_limit_bytes', {
    description: 'Size the heap may grow to before the process ends.',
  })
  meter.addBatchObservableCallback(
    (result) => {
      for (const space of v8.getHeapSpaceStatistics()) {
        if (space.space_size === 0) continue
        const labels = { v8js_heap_space_name: space.space_name }
        result.observe(used, space.space_used_size, labels)
        result.observe(size, space.space_size, labels)
        result.observe(available, space.space_available_size, labels)
      }
      result.observe(limit, v8.getHeapStatistics().heap_size_limit)
    },
    [used, size, available, limit],
  )
}

function observeProcess(meter: Meter): void {
  const cpu = meter.createObservableCounter('process_cpu_time_seconds_total', { description: 'CPU time used.' })
  const memory = meter.createObservableGauge('process_memory_usage_bytes', { description: 'Physical memory in use.' })
  const uptime = meter.createObservableGauge('process_uptime_seconds', { description: 'Time since the process began.' })
  const active = meter.createObservableGauge('v8js_resource_active', {
    description: 'Sockets, timers and other resources that keep the event loop alive.',
  })
  meter.addBatchObservableCallback(
    (result) => {
      const { user, system } = process.cpuUsage()
      result.observe(cpu, user / 1e6, { cpu_mode: 'user' })
      result.observe(cpu, system / 1e6, { cpu_mode: 'system' })
      result.observe(memory, process.memoryUsage.rss())
      result.observe(uptime, process.uptime())
      for (const [type, count] of countByValue(process.getActiveResourcesInfo())) {
        result.observe(active, count, { v8js_resource_type: type })
      }
    },
    [cpu, memory, uptime, active],
  )
  if (process.platform !== 'linux') return
  const descriptors = meter.createObservableGauge('process_unix_file_descriptor_count', {
    description: 'File descriptors open.',
  })
  descriptors.addCallback(async (result) => result.observe((await readdir('/proc/self/fd')).length))
}

function countByValue(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}
