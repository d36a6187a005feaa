import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { AggregationTemporality, InstrumentType, MetricReader } from '@opentelemetry/sdk-metrics'

/** Label sets a family may have before further ones are lumped together as `otel_metric_overflow`. */
const SERIES_MAX = 5_000

/**
 * Collects on demand and writes the Prometheus text format.
 *
 * Gauges are read with delta temporality: under the exporter's own reader (cumulative throughout) a label set that is no
 * longer observed keeps its last value for ever, and a queue that ran empty would stay on its last depth.
 */
export class ScrapeReader extends MetricReader {
  readonly #serializer = new PrometheusSerializer()
  #running: Promise<string> | undefined

  constructor() {
    super({
      aggregationTemporalitySelector: (type) =>
        type === InstrumentType.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE,
      cardinalitySelector: () => SERIES_MAX,
    })
  }

  /** Everything as text. Callers that come while a collection runs share it: two at once would split the deltas. */
  scrape(): Promise<string> {
    this.#running ??= this.#collect().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #collect(): Promise<string> {
    const { resourceMetrics } = await this.collect()
    return this.#serializer.serialize(resourceMetrics)
  }

  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}
