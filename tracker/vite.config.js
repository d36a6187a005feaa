import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/** One classic script, without a global of its own, for every browser that has ES2020. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  cacheDir: fileURLToPath(new URL('../node_modules/.cache/vite-tracker', import.meta.url)),
  build: {
    target: 'es2020',
    lib: { entry: 't.ts', formats: ['iife'], name: 'postroomTracker', fileName: () => 't.js' },
    minify: true,
    // Constants stay constants, whose values the minifier can then put where they are used.
    rolldownOptions: { output: { topLevelVar: false } },
    reportCompressedSize: false,
  },
})
