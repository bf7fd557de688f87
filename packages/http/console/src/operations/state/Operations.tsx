// The state of the installation: processes, queues, dead jobs and the doctor. It is read again every ten seconds while the tab is
// visible.
import { Button, Skeleton, Stack } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { lazy, Suspense, useEffect } from "react"
import { useAdminMutationOf } from "../../api/mutations.ts"
import { adminQueryOf } from "../../api/queries.ts"
import { ShieldIcon } from "../../Icons.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { PageHeader } from "../../parts/PageHeader.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { announce } from "../../shell/Announcer.tsx"
import { useWords } from "../../words/Words.tsx"
import { Cards } from "./Cards.tsx"
import { Checks } from "./Checks.tsx"
import { Lags } from "./Lags.tsx"
import { Processes } from "./Processes.tsx"
import { Queues } from "./Queues.tsx"
import { deadOf } from "./state.ts"

const DeadJobs = lazy(async () => ({ default: (await import("./DeadJobs.tsx")).DeadJobs }))

const every_ms = 10_000

export const Operations = () => {
  const words = useWords("operations").state
  const found = useQuery({ ...adminQueryOf("operations", "find"), refetchInterval: every_ms })
  const doctor = useAdminMutationOf("doctor", "run")
  const checks = doctor.data?.checks
  useEffect(() => {
    if (checks !== undefined) announce(words.wrong(checks.filter(({ ok }) => !ok).length))
  }, [checks, words])
  const { data, error, refetch } = found
  return (
    <>
      <PageHeader
        title={words.title}
        text={words.text}
        beside={data !== undefined && <span className="count">{words.version(data.version)}</span>}
        actions={
          <>
            <CurlButton call={["admin.operations", "find"]} />
            <Button
              variant="default"
              leftSection={<ShieldIcon size={16} />}
              loading={doctor.isPending}
              onClick={() => doctor.mutate(undefined)}
            >
              {words.runDoctor}
            </Button>
          </>
        }
      />
      <Stack>
        {doctor.isError && <Problem error={doctor.error} />}
        {checks !== undefined && <Checks checks={checks} onClose={doctor.reset} />}
        {error !== null && <Problem error={error} onRetry={refetch} />}
        {data === undefined && error === null && <Skeleton className="late" h={320} radius="lg" />}
        {data !== undefined && (
          <>
            <Cards operations={data} />
            <Suspense fallback={null}>
              <DeadJobs count={deadOf(data)} />
            </Suspense>
            <Lags lags={data.lags} />
            <Processes processes={data.processes} />
            <Queues jobs={data.jobs} />
          </>
        )}
      </Stack>
    </>
  )
}
