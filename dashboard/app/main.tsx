import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { keepPlace } from '../ui/kept-place.ts'
import { UiProvider } from '../ui/provider.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { BusyServer } from './busy-server.tsx'
import { HereGate } from './here-gate.tsx'
import { LoginOverPage } from './login-over-page.tsx'
import { queries } from './queries.ts'
import { router } from './router.tsx'

keepPlace()
createRoot(document.getElementById('root')!).render(
  <UiProvider>
    <QueryClientProvider client={queries}>
      <HereGate>
        <RouterProvider router={router} />
      </HereGate>
      <LoginOverPage />
      <BusyServer />
      <Toasts />
    </QueryClientProvider>
  </UiProvider>,
)
