// The button that sends again to failed recipients, where there are some that a retry sends to.
import { Button } from "@mantine/core"
import type { Blast } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"
import { queryOf } from "../../api/queries.ts"
import { RefreshIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import { retriesOf } from "../blast.ts"

const RetryDialog = lazy(async () => ({ default: (await import("./RetryDialog.tsx")).RetryDialog }))

export const Retry = ({ blast }: { readonly blast: Blast }) => {
  const words = useWords("blasts")
  const [isOpen, setOpen] = useState(false)
  const isOver = blast.status === "sent" || blast.status === "failed"
  const isPossible = isOver && blast.details.blast_failed_count > 0
  const report = useQuery({
    ...queryOf("blasts", "report", { params: { blastId: blast.blast_id } }),
    enabled: isPossible,
  })
  const reasons = report.data?.reasons ?? []
  const { temporary, unconfirmed } = retriesOf(reasons)
  if (!isPossible || (temporary.length === 0 && unconfirmed === 0)) return null
  return (
    <>
      <Button variant="default" leftSection={<RefreshIcon size={16} />} onClick={() => setOpen(true)}>
        {words.retry}
      </Button>
      <Suspense fallback={null}>
        {isOpen && <RetryDialog blast={blast} reasons={reasons} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  )
}
