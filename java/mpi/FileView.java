// SPDX-License-Identifier: Apache-2.0
package mpi;

/** How a rank sees a file; see {@link File}. */
public final class FileView {
    private final long disp;
    private final Datatype eType;
    private final Datatype fileType;
    private final String dataRep;

    /**
     * A view.
     *
     * @param disp how far
     * @param eType what the file consists of
     * @param fileType which of it the rank sees
     * @param dataRep how data are represented
     */
    public FileView(long disp, Datatype eType, Datatype fileType, String dataRep) {
        this.disp = disp;
        this.eType = eType;
        this.fileType = fileType;
        this.dataRep = dataRep;
    }

    /**
     * Where the view begins.
     *
     * @return bytes
     */
    public long getDisp() {
        return disp;
    }

    /**
     * What the file consists of.
     *
     * @return the datatype
     */
    public Datatype getEType() {
        return eType;
    }

    /**
     * Which of it the rank sees.
     *
     * @return the datatype
     */
    public Datatype getFileType() {
        return fileType;
    }

    /**
     * How data are represented in the file.
     *
     * @return the name
     */
    public String getDataRep() {
        return dataRep;
    }
}
