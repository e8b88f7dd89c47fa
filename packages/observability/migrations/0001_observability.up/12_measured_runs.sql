-- Reading what experiments measured, however large they are

-- Of few rows: what another attempt came after. Scores belong to a newest attempt unless their run is in it.
create index experiment_runs_replaced on observability.experiment_runs (project_id, experiment_id, item_id, repetition, attempt) where not is_newest;
-- Counts read no outputs.
create index experiment_runs_by_state on observability.experiment_runs (project_id, experiment_id, state) include (cost) where is_newest;
