// SPDX-License-Identifier: Apache-2.0
package conform;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import mpi.Intracomm;
import mpi.MPI;

/**
 * The conformance suite of the Java face. Every rank runs every case, on as many ranks as there are, a barrier
 * between. The first thing that does not hold ends the job.
 *
 * <p>Arguments: names of cases, or none for all. Properties: {@code test.messages} (random messages, default 100000),
 * {@code test.seed}.
 */
public final class Suite {
    /** A case gets a communicator of its own and throws what is wrong. */
    interface Case {
        void run(Intracomm comm) throws Exception;
    }

    private static final Map<String, Case> CASES = new LinkedHashMap<>();

    static {
        CASES.put("basics", Basics::basics);
        CASES.put("sizes", Basics::sizes);
        CASES.put("kinds", Basics::kinds);
        CASES.put("words", Basics::words);
        CASES.put("offsets", Basics::offsets);
        CASES.put("modes", Basics::modes);
        CASES.put("sendrecv", Basics::sendrecv);
        CASES.put("self", Basics::self);
        CASES.put("nobody", Basics::nobody);
        CASES.put("bufferAttach", Basics::bufferAttach);
        CASES.put("ordering", Matching::ordering);
        CASES.put("wildcards", Matching::wildcards);
        CASES.put("tagsOutOfOrder", Matching::tagsOutOfOrder);
        CASES.put("probes", Matching::probes);
        CASES.put("communicators", Matching::communicators);
        CASES.put("derived", Matching::derived);
        CASES.put("requests", Requests::requests);
        CASES.put("waitAndTest", Requests::waitAndTest);
        CASES.put("nullReferences", NullRequests::nullReferences);
        CASES.put("persistent", Requests::persistent);
        CASES.put("cancel", Requests::cancel);
        CASES.put("free", Requests::free);
        CASES.put("manyPending", Requests::manyPending);
        CASES.put("truncation", Failures::truncation);
        CASES.put("typeClasses", TypeClasses::classes);
        CASES.put("wrongArguments", Failures::wrongArguments);
        CASES.put("callNames", CallNames::names);
        CASES.put("objects", ObjectMessages::objects);
        CASES.put("sharing", ObjectMessages::sharing);
        CASES.put("probed", ObjectMessages::probed);
        CASES.put("objectSizes", ObjectMessages::objectSizes);
        CASES.put("objectCalls", ObjectMessages::objectCalls);
        CASES.put("objectOrder", ObjectMessages::objectOrder);
        CASES.put("objectFailures", ObjectMessages::objectFailures);
        CASES.put("objectThreads", ObjectMessages::objectThreads);
        CASES.put("randomTypes", DerivedTypes::randomTypes);
        CASES.put("columns", DerivedTypes::columns);
        CASES.put("emptyTypes", OddTypes::empty);
        CASES.put("overlapping", OddTypes::overlapping);
        CASES.put("wrongTypes", DerivedTypes::wrongTypes);
        CASES.put("packedBytes", Packed::bytes);
        CASES.put("packedSections", Packed::sections);
        CASES.put("packedMessages", Packed::messages);
        CASES.put("sets", Groups::sets);
        CASES.put("creation", Groups::creation);
        CASES.put("intercommunicators", Groups::intercommunicators);
        CASES.put("attributes", Groups::attributes);
        CASES.put("grids", Topologies::grids);
        CASES.put("graphs", Topologies::graphs);
        CASES.put("members", Members::members);
        CASES.put("views", Members::views);
        CASES.put("shapes", Collectives::shapes);
        CASES.put("amounts", Collectives::amounts);
        CASES.put("sameArray", Collectives::sameArray);
        CASES.put("apart", Collectives::apart);
        CASES.put("ahead", OneWay::ahead);
        CASES.put("late", OneWay::late);
        CASES.put("unevenBlocks", UnevenBlocks::uneven);
        CASES.put("predefined", Reductions::predefined);
        CASES.put("reducedTypes", Reductions::derived);
        CASES.put("pairs", Reductions::pairs);
        CASES.put("userOperations", Reductions::userOperations);
        CASES.put("userFailures", Reductions::userFailures);
        CASES.put("operatorFailures", OperatorFailures::operatorFailures);
        CASES.put("failuresBetween", OperatorFailures::operatorFailuresBetween);
        CASES.put("local", Reductions::local);
        CASES.put("sharedObjects", ObjectCollectives::sharing);
        CASES.put("sharedParts", ObjectCollectives::sharingParts);
        CASES.put("reducedObjects", ObjectCollectives::reducing);
        CASES.put("lostObjects", ObjectCollectives::failures);
        CASES.put("fewerObjects", ObjectCollectives::fewer);
        CASES.put("deepObjects", ObjectCollectives::deep);
        CASES.put("scannedObjects", LongObjects::scanned);
        CASES.put("wrongShares", CollectiveArguments::wrong);
        CASES.put("lateData", CollectiveArguments::lateData);
        CASES.put("betweenGroups", CollectiveArguments::betweenGroups);
        CASES.put("idleRanks", CollectiveArguments::idle);
        CASES.put("openMessages", OpenMessages::messages);
        CASES.put("openRequests", OpenMessages::requests);
        CASES.put("openShapes", Collectives::openShapes);
        CASES.put("openAmounts", Collectives::openAmounts);
        CASES.put("openPlaces", OpenPlaces::places);
        CASES.put("openGarbage", OpenPlaces::garbage);
        CASES.put("openReductions", OpenReductions::reductions);
        CASES.put("openPairs", OpenReductions::pairs);
        CASES.put("openFailures", OpenReductions::failures);
        CASES.put("openStructs", OpenTypes::structs);
        CASES.put("openBytes", OpenTypes::bytes);
        CASES.put("openArrays", OpenArrays::arrays);
        CASES.put("openGrids", OpenTopologies::grids);
        CASES.put("openGraphs", OpenTopologies::graphs);
        CASES.put("openCommunicators", OpenTopologies::communicators);
        CASES.put("windows", Windows::operations);
        CASES.put("windowContention", Windows::contention);
        CASES.put("windowGarbage", Windows::garbage);
        CASES.put("windowElements", WindowElements::elements);
        CASES.put("windowTypes", WindowElements::types);
        CASES.put("windowUses", WindowUses::uses);
        CASES.put("wrongWindows", WindowUses::wrong);
        CASES.put("files", FileWays::ways);
        CASES.put("fileShapes", FileWays::shapes);
        CASES.put("fileGarbage", FileWays::garbage);
        CASES.put("fileViews", FileViews::views);
        CASES.put("fileExternal", FileViews::external);
        CASES.put("fileUses", FileUses::uses);
        CASES.put("wrongFiles", FileUses::wrong);
        CASES.put("openOthers", OpenOthers::others);
        CASES.put("mixed", OpenOthers::mixed);
        CASES.put("flood", Stress::flood);
        CASES.put("fanIn", Stress::fanIn);
        CASES.put("threads", Stress::threads);
        CASES.put("garbage", Stress::garbage);
        CASES.put("randomCalls", RandomCalls::run);
        CASES.put("random", RandomTraffic::run);
    }

    private Suite() {
    }

    public static void main(String[] args) throws Exception {
        String[] names = MPI.Init(args);
        Intracomm world = MPI.COMM_WORLD;
        for (String name : names.length == 0 ? CASES.keySet() : Arrays.asList(names)) {
            run(name, world);
        }
        if (world.Rank() == 0) {
            System.out.println("conform: all cases hold on " + world.Size() + " ranks");
        }
        MPI.Finalize();
    }

    private static void run(String name, Intracomm world) throws Exception {
        Case test = CASES.get(name);
        if (test == null) {
            throw new IllegalArgumentException("no case " + name + "; there are " + CASES.keySet());
        }
        Intracomm comm = world.clone();
        long begin = System.nanoTime();
        try {
            test.run(comm);
        } catch (Throwable e) {
            throw new AssertionError("case " + name + " on rank " + world.Rank() + " of " + world.Size(), e);
        }
        comm.Barrier();
        Check.that(comm.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG) == null, "case " + name + " left a message behind");
        comm.Free();
        if (world.Rank() == 0) {
            double took = (System.nanoTime() - begin) / 1e6;
            System.out.println(String.format(Locale.ROOT, "  %-16s %6.0f ms", name, took));
        }
    }
}
